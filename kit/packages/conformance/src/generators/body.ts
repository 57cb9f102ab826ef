// Creates cases with valid bodies.
import type { Draft, Row } from './case';
import type { Content, Operation } from '../contract/model';
import { isReadOnly, propertiesOf } from '../contract/schema';
import { unionMembersOf } from '../contract/unions';
import { fits, type Values } from '../values/variant';
import { isJsonObject, toJson, writeJson, type Json, type JsonObject } from '../wire/json';
import { baseBody, createBodies } from './body-values';
import { percentEncode } from './parameter-spellings';
import { createRule, type SentBody } from './sent-body';
import { streamsOf } from './connection';
import { toBody, validRequest, withMarker } from './valid-request';

/** Creates cases with valid bodies, with the same value in other spellings, and without a body that is optional. */
export function createPositiveCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer } = operation;
  const withoutBody = (at: string): Draft =>
    createCase(values, operation, 'accepted', { pointer: at, label: 'no body', body: undefined });
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
  const received = [...streams, ...negotiateTypes(values, operation)];
  if (!body) return [withoutBody(pointer), ...withEmptyBody, ...received];
  return [
    ...body.contents.flatMap((content) =>
      [
        ...createBodies(values, content, true),
        ...validExamples(values, content),
        ...withReadOnlyProperty(values, content),
        ...respelledBodies(values, body.pointer, content),
      ].map((sent) => createCase(values, operation, 'accepted', { ...sent, content })),
    ),
    ...(body.isRequired ? [] : [withoutBody(body.pointer)]),
    ...withEmptyBody,
    ...received,
  ];
}

/** Asks for the media types of a success after the first, which a server need not send else, and for an unknown one. */
function negotiateTypes(values: Values, operation: Operation): Draft[] {
  const successes = [...operation.replies].filter(([status]) => status.startsWith('2'));
  const others = successes
    .flatMap(([, { contents }]) => contents.slice(1))
    .filter(({ kind, mediaType }) => kind !== 'sequence' && !mediaType.includes('*'));
  const create = (accept: string, { pointer }: { readonly pointer: string }, expect: Draft['expect']): Draft => ({
    ...{ pointer, label: `Accept: ${accept}`, expect },
    request: validRequest(values, operation, { headers: [['Accept', accept]] }),
  });
  return [
    // A server that cannot make it now, such as an image of something else, chooses another.
    ...others.map((content) => create(`${content.mediaType}, */*;q=0.1`, content, 'accepted')),
    // RFC 9110 section 12.5.1: it answers 406, or with what it has.
    ...(others.length > 0 ? [create('x-other/x-other', operation, 'answered')] : []),
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
  const { pointer, label, keyword, depth, implementationDefined, level, interpretation, without, body, content } = sent;
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
    // Unknown for the examples of the contract.
    interpretation: interpretation === undefined ? undefined : { place: 'body', value: interpretation, without },
  };
}

// Of JSON only: `createBodies` has the examples of other kinds.
function validExamples(values: Values, { kind, schema, examples }: Content): SentBody[] {
  const valid = kind === 'json' ? examples.filter(({ value }) => fits(values, schema, value)) : [];
  return valid.map(({ name, pointer, value }) => ({
    pointer,
    label: `the example ${name}`,
    body: toBody(writeJson(withMarker(values, schema, value))),
  }));
}

// readOnly properties SHOULD NOT be sent (OpenAPI, Schema Object), but a client that sends back a resource that it read
// includes them. A handler must not receive them (`without`).
function withReadOnlyProperty(values: Values, { kind, schema }: Content): SentBody[] {
  const valid = kind === 'json' ? toJson(values.baseOf(schema)) : null;
  if (!isJsonObject(valid)) return [];
  const properties = new Map(unionMembersOf(schema).flatMap((member) => [...propertiesOf(member)]));
  return [...properties].flatMap(([name, property]): SentBody[] => {
    if (!isReadOnly(property)) return [];
    // Null where no valid value can be made.
    const readOnlyValue = schema.contract.skipped.attempt(() => values.baseOf(property), null);
    return [
      {
        ...createRule(property, `${name}, which is readOnly`),
        body: toBody(writeJson({ ...valid, [name]: readOnlyValue })),
        interpretation: valid,
        without: [name],
        implementationDefined: 'OpenAPI 3.0.3, 3.1.0 Schema Object (readOnly)',
      },
    ];
  });
}

export function respelledBodies(values: Values, pointer: string, content: Content): SentBody[] {
  return otherSpellings(values, content).map(([label, text, more]) => ({
    ...{ pointer, label, ...more },
    body: toBody(text),
    interpretation: toJson(values.baseOf(content.schema)),
  }));
}

function otherSpellings(values: Values, content: Content): Row<string>[] {
  if (content.kind === 'json') return jsonSpellings(values, content);
  if (content.kind !== 'form') return [];
  const text = baseBody(values, content).toString('utf8');
  const [firstMember = '', ...otherMembers] = text.split('&');
  return [
    ['names and values encoded', text.replace(/[a-z]/g, percentEncode)],
    ['a space as %20', text.replaceAll('+', '%20')],
    ['the first member last', [...otherMembers, firstMember].join('&')],
  ];
}

// A string, which may have braces, or the end of an object.
const STRING_OR_END = /"(?:[^"\\]|\\.)*"|\}/g;

/** Spellings that do not matter by RFC 8259: white space, escapes, and the order of members. */
function jsonSpellings(values: Values, { schema }: Content): Row<string>[] {
  const valid = toJson(values.baseOf(schema));
  const text = writeJson(valid);
  const withSpaceAround: Row<string> = ['white space around', ` \t\r\n${text}\n `];
  if (!isJsonObject(valid) || Object.keys(valid).length === 0) return [withSpaceAround];
  const members = Object.entries(valid);
  return [
    withSpaceAround,
    ['white space between', text.replace(STRING_OR_END, (token) => (token === '}' ? '\n}' : `${token} `))],
    ['members in another order', writeJson(Object.fromEntries(members.toReversed()))],
    ['escaped names', writeWithEscapedNames(valid)],
  ];
}

/** Writes an object as JSON, with each character of a name as an escape: `{"\u0061":1}` for `{ a: 1 }`. */
function writeWithEscapedNames(object: JsonObject): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const members = Object.entries(object).map(([name, value]) => {
    const escapedName = name.split('').map(escape).join('');
    return `"${escapedName}":${writeJson(value)}`;
  });
  return `{${members.join(',')}}`;
}

/** Creates cases with invalid bodies, each of which breaks one rule, and without a required body. */
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

// HTTP frames an empty body in two ways (RFC 9112 section 6). Clients send the first one with methods that have a body (RFC 9110 section 8.6); the other comes from proxies.
const FRAMINGS = [
  ['a Content-Length of 0', 'length', 'contract'],
  ['no chunks', 'chunked', 'robust'],
] as const;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Creates cases without content where none is needed, and with an empty body where its media type and its schema allow one.
 * Or else, where a body is required, with empty JSON, and without content if all that is declared is JSON.
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
        // Many servers take an empty body for none.
        level: value === undefined ? level : 'robust',
        interpretation: value === undefined ? undefined : { place: 'body', value },
      };
    }),
  );
}

/** The value of a body without bytes; undefined if the contract allows none. */
function emptyValue(values: Values, { kind, schema }: Content): Json | undefined {
  if (kind === 'bytes') return '';
  if (kind === 'text') return fits(values, schema, '') ? '' : undefined;
  return kind === 'form' && fits(values, schema, {}) ? {} : undefined;
}
