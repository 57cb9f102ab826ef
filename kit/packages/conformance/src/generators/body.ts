import type { Draft } from './case';
import type { Content, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import { writeJson, type Json } from '../wire/json';
import { createBodies } from './body-values';
import type { SentBody } from './sent-body';
import { toBody, validRequest, withMarker } from './valid-request';

export function createPositiveCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer } = operation;
  const createCaseWithoutBody = (bodyPointer: string): Draft =>
    createCase(values, operation, 'accepted', { pointer: bodyPointer, label: 'no body', body: undefined });
  const emptyBodyCases = createEmptyBodyCases(values, operation, 'accepted');
  const streamCases = streamsOf(operation).map((content): Draft => {
    const request = validRequest(values, operation, { headers: [['Accept', content.mediaType]] });
    return {
      pointer: content.pointer,
      label: `${content.mediaType}, read for ${String(STREAM_MS / 1_000)} seconds`,
      request: { ...request, readOn: STREAM_MS },
      expect: 'accepted',
    };
  });
  if (!body) return [createCaseWithoutBody(pointer), ...emptyBodyCases, ...streamCases];
  return [
    ...body.contents.flatMap((content) =>
      [...createBodies(values, content, true), ...createExampleBodies(values, content)].map((sent) =>
        createCase(values, operation, 'accepted', { ...sent, content }),
      ),
    ),
    ...(body.isRequired ? [] : [createCaseWithoutBody(body.pointer)]),
    ...emptyBodyCases,
    ...streamCases,
  ];
}

// How long a case that tests the stream itself reads it. All other cases stop soon after its first item.
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

function createExampleBodies(values: Values, { kind, schema, examples }: Content): SentBody[] {
  const validJsonExamples = kind === 'json' ? examples.filter(({ value }) => fits(values, schema, value)) : [];
  return validJsonExamples.map(({ name, pointer, value }) => ({
    pointer,
    label: `the example ${name}`,
    body: toBody(writeJson(withMarker(values, schema, value))),
  }));
}

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

// Framings of an empty body. Clients send its length (RFC 9110 section 8.6), proxies may chunk it (RFC 9112 section 6).
const FRAMINGS = [
  ['a Content-Length of 0', 'length', 'contract'],
  ['no chunks', 'chunked', 'robust'],
] as const;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * A request without content must succeed if the body is not required, and an empty body must succeed if its schema
 * allows it. If a body is required, empty JSON must be refused, and so must a missing body if only JSON is declared.
 */
function createEmptyBodyCases(values: Values, operation: Operation, expect: 'accepted' | 'refused'): Draft[] {
  const { body, pointer: operationPointer, method } = operation;
  const { contents = [], isRequired = !METHODS_WITH_BODY.includes(method), pointer = operationPointer } = body ?? {};
  const isJson = ({ kind }: Content): boolean => kind === 'json';
  const mustHaveBody = body !== undefined && isRequired;
  const sendsNoContent = expect === 'accepted' ? !isRequired : mustHaveBody && contents.every(isJson);
  const contentsToEmpty = contents.filter((content) =>
    expect === 'accepted' ? findEmptyValue(values, content) !== undefined : mustHaveBody && isJson(content),
  );
  return [...(sendsNoContent ? [undefined] : []), ...contentsToEmpty].flatMap((content) =>
    FRAMINGS.map(([name, framing, level]): Draft => {
      const value = content && findEmptyValue(values, content);
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

/** Returns undefined if the contract does not allow an empty body. */
function findEmptyValue(values: Values, { kind, schema }: Content): Json | undefined {
  if (kind === 'bytes') return '';
  if (kind === 'text') return fits(values, schema, '') ? '' : undefined;
  return kind === 'form' && fits(values, schema, {}) ? {} : undefined;
}

function streamsOf({ replies }: Operation): Content[] {
  const successes = [...replies].filter(([status]) => status.startsWith('2'));
  return successes.flatMap(([, { contents }]) => contents.filter(({ kind }) => kind === 'sequence'));
}
