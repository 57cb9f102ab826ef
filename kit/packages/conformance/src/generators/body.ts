import type { Draft } from './case';
import type { Content, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import { writeJson, type Json } from '../wire/json';
import { createBodies } from './body-values';
import type { SentBody } from './sent-body';
import { toBody, validRequest, withMarker } from './valid-request';

export function createPositiveCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer } = operation;
  const withoutBody = (bodyPointer: string): Draft =>
    createCase(values, operation, 'accepted', { pointer: bodyPointer, label: 'no body', body: undefined });
  const withEmptyBody = createEmptyBodyCases(values, operation, 'accepted');
  const streams = streamsOf(operation).map((content): Draft => {
    const request = validRequest(values, operation, { headers: [['Accept', content.mediaType]] });
    return {
      pointer: content.pointer,
      label: `${content.mediaType}, read for ${String(STREAM_MS / 1_000)} seconds`,
      request: { ...request, readOn: STREAM_MS },
      expect: 'accepted',
    };
  });
  if (!body) return [withoutBody(pointer), ...withEmptyBody, ...streams];
  return [
    ...body.contents.flatMap((content) =>
      [...createBodies(values, content, true), ...validExamples(values, content)].map((sent) =>
        createCase(values, operation, 'accepted', { ...sent, content }),
      ),
    ),
    ...(body.isRequired ? [] : [withoutBody(body.pointer)]),
    ...withEmptyBody,
    ...streams,
  ];
}

// Other cases leave a stream soon after its first item.
const STREAM_MS = 2_000;

function createCase(
  values: Values,
  operation: Operation,
  expect: 'accepted' | 'refused',
  sent: Omit<SentBody, 'body'> & { readonly body: Buffer | undefined; readonly content?: Content },
): Draft {
  const { pointer, label, keyword, depth, implementationDefined, level, interpretation, body, content } = sent;
  const isFirst = !content || operation.body?.contents[0] === content;
  return {
    pointer,
    label: isFirst ? label : `${content.mediaType}, ${label}`,
    keyword,
    depth,
    request: validRequest(values, operation, { body, content }),
    expect,
    implementationDefined,
    level,
    interpretation: interpretation === undefined ? undefined : { place: 'body', value: interpretation },
  };
}

// Returns only JSON: `createBodies` has the examples of other kinds.
function validExamples(values: Values, { kind, schema, examples }: Content): SentBody[] {
  const valid = kind === 'json' ? examples.filter(({ value }) => fits(values, schema, value)) : [];
  return valid.map(({ name, pointer, value }) => ({
    pointer,
    label: `the example ${name}`,
    body: toBody(writeJson(withMarker(values, schema, value))),
  }));
}

/** Creates cases with bodies that each break one rule. */
export function createNegativeCases(values: Values, operation: Operation): Draft[] {
  const { body } = operation;
  if (!body) return [];
  const create = (sent: Parameters<typeof createCase>[3]): Draft => createCase(values, operation, 'refused', sent);
  const { pointer } = body;
  return [
    ...body.contents.flatMap((content) =>
      createBodies(values, content, false).map((sent) => create({ ...sent, content })),
    ),
    ...(body.isRequired ? [create({ pointer, label: 'required, no body', body: undefined })] : []),
    ...createEmptyBodyCases(values, operation, 'refused'),
  ];
}

// Clients frame an empty body by its length (RFC 9110 section 8.6), and proxies by chunks (RFC 9112 section 6).
const FRAMINGS = [
  ['a Content-Length of 0', 'length', 'contract'],
  ['no chunks', 'chunked', 'robust'],
] as const;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Expects success without content where no body is required, and with an empty body where its schema allows one.
 * Expects a refusal of empty JSON where a body is required, and of no content if only JSON is declared.
 */
function createEmptyBodyCases(values: Values, operation: Operation, expect: 'accepted' | 'refused'): Draft[] {
  const { body, pointer: operationPointer, method } = operation;
  const { contents = [], isRequired = !METHODS_WITH_BODY.includes(method), pointer = operationPointer } = body ?? {};
  const isJson = ({ kind }: Content): boolean => kind === 'json';
  const mustHaveBody = body !== undefined && isRequired;
  const isNoneSent = expect === 'accepted' ? !isRequired : mustHaveBody && contents.every(isJson);
  const emptied = contents.filter((content) =>
    expect === 'accepted' ? emptyValue(values, content) !== undefined : mustHaveBody && isJson(content),
  );
  return [...(isNoneSent ? [undefined] : []), ...emptied].flatMap((content) =>
    FRAMINGS.map(([name, framing, level]): Draft => {
      const value = content && emptyValue(values, content);
      return {
        pointer: content?.pointer ?? pointer,
        label: `${content ? `${content.mediaType}, an empty body` : 'no content'}, ${name}`,
        request: { ...validRequest(values, operation, { body: content && Buffer.alloc(0), content }), framing },
        expect,
        // Many servers treat an empty body as a missing one.
        level: value === undefined ? level : 'robust',
        interpretation: value === undefined ? undefined : { place: 'body', value },
      };
    }),
  );
}

/** Returns undefined when the contract does not allow a body without bytes. */
function emptyValue(values: Values, { kind, schema }: Content): Json | undefined {
  if (kind === 'bytes') return '';
  if (kind === 'text') return fits(values, schema, '') ? '' : undefined;
  return kind === 'form' && fits(values, schema, {}) ? {} : undefined;
}

function streamsOf({ replies }: Operation): Content[] {
  const successes = [...replies].filter(([status]) => status.startsWith('2'));
  return successes.flatMap(([, { contents }]) => contents.filter(({ kind }) => kind === 'sequence'));
}
