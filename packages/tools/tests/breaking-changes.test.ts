import { findBreakingChanges } from '../src/check/breaking-changes';
import { readOperations } from '../../contract/src/load-contract';
import { parseYaml } from '../../contract/src/1-parse/parse-yaml';
import type { Document, NormalizedDocument } from '../../contract/src/2-resolve/document';
import { readErrorCatalogue } from '../src/lint/error-catalogue';

type Node = Readonly<Record<string, unknown>>;

/** What differs between two versions of one contract: the schema of a request or a reply, or a part of its operation. */
interface Parts {
  readonly request?: Node | false;
  readonly reply?: Node;
  readonly operation?: Node;
  readonly schemas?: Node;
  readonly document?: Node;
  /** YAML of the schema of the request. */
  readonly yaml?: string;
}

const QUERY = { name: 'q', in: 'query', schema: { type: 'string' } };
const STRING = { type: 'string' };
const ENUM = { type: 'string', enum: ['a', 'b'] };
const OK = { description: 'It is done.' };
const BEARER = { type: 'http', scheme: 'bearer' };
const KEY = { type: 'apiKey', in: 'header', name: 'X-Key' };
const BOTH = { components: { securitySchemes: { bearer: BEARER, key: KEY } } };
const ERROR = { number: 40401, status: 404, meaning: 'It is not there.' };

function json(schema: unknown): Node {
  return { content: { 'application/json': { schema } } };
}

function object(properties: Node, ...required: string[]): Node {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function responses(more: Node): Parts {
  return { operation: { responses: { 200: OK, ...more } } };
}

function withHeader(header: Node): Parts {
  return { operation: { responses: { 200: { ...OK, headers: { 'X-Count': header } } } } };
}

function withCatalogue(rows: Node): Parts {
  return { document: { 'x-error-catalogue': rows } };
}

function read({ request, reply, operation = {}, schemas = {}, document = {}, yaml }: Parts): {
  operations: ReturnType<typeof readOperations>['operations'];
  document: NormalizedDocument;
  catalogue: ReturnType<typeof readErrorCatalogue>['catalogue'];
} {
  const node = {
    ...(request !== undefined && { requestBody: { required: true, ...json(request) } }),
    responses: { 200: { ...OK, ...(reply && json(reply)) } },
    ...operation,
  };
  const written = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1.0.0' },
    paths: { '/a/{id}': { post: { parameters: [path('id')], ...node } } },
    components: { schemas },
    ...document,
  };
  // JSON is YAML, too.
  const text = JSON.stringify(written).replace('{"yaml":true}', yaml ?? '{}');
  const { operations, document: plain, errors } = readOperations(parseYaml(text, 'a.yaml') as Document);
  expect(errors.map(({ message }) => message)).toEqual([]);
  return { operations, document: plain, catalogue: readErrorCatalogue(plain).catalogue };
}

function path(name: string): Node {
  return { name, in: 'path', required: true, schema: STRING };
}

function breaks(before: Parts, after: Parts): string[] {
  return findBreakingChanges(read(before), read(after)).map(({ cause }) => cause);
}

const PET = object({ kind: { const: 'cat' } }, 'kind');
const DOG = object({ kind: { const: 'dog' } }, 'kind');
const TREE = object({ value: { type: 'integer' }, below: { $ref: '#/components/schemas/Tree' } });
const WIDE_TREE = object({ value: { type: 'number' }, below: { $ref: '#/components/schemas/Tree' } });
const TREE_REPLY = { reply: { $ref: '#/components/schemas/Tree' } };

// As oasdiff documents what breaks clients (BREAKING-CHANGES-EXAMPLES.md and its releases up to 1.31).
test.each<[string, Parts, Parts, string]>([
  ['an operation is removed', {}, { document: { paths: {} } }, 'POST /a/{id} was removed'],
  ['a success status is new', {}, responses({ 202: OK }), 'response 202 was added'],
  [
    'the path of the first server changes',
    {},
    { document: { servers: [{ url: '/b' }] } },
    'the path of the first server is now /b',
  ],
  [
    'a new query parameter is required',
    {},
    { operation: { parameters: [path('id'), { ...QUERY, required: true }] } },
    'query q is now required',
  ],
  [
    'a parameter becomes required',
    { operation: { parameters: [path('id'), QUERY] } },
    { operation: { parameters: [path('id'), { ...QUERY, required: true }] } },
    'query q is now required',
  ],
  ['a parameter is removed', { operation: { parameters: [path('id'), QUERY] } }, {}, 'query q is no longer accepted'],
  [
    'a parameter gets an enum',
    { operation: { parameters: [path('id'), QUERY] } },
    { operation: { parameters: [path('id'), { ...QUERY, schema: ENUM }] } },
    'query q: enum any -> "a", "b"',
  ],
  [
    'a parameter is written otherwise',
    { operation: { parameters: [path('id'), { ...QUERY, schema: { type: 'array', items: STRING } }] } },
    { operation: { parameters: [path('id'), { ...QUERY, explode: false, schema: { type: 'array', items: STRING } }] } },
    'query q: style "form, exploded" -> "form"',
  ],
  [
    'a body becomes required',
    { operation: { requestBody: json(STRING) } },
    { request: STRING },
    'the body is now required',
  ],
  ['a new body is required', {}, { request: STRING }, 'the body is now required'],
  ['a body is removed', { request: STRING }, {}, 'the body is no longer accepted'],
  [
    'a media type of the request is removed',
    { operation: { requestBody: { content: { 'application/json': {}, 'text/csv': {} } } } },
    { operation: { requestBody: json({}) } },
    'body (text/csv) is no longer accepted',
  ],
  [
    'a media type of a reply is removed',
    { operation: { responses: { 200: { ...OK, content: { 'application/json': {}, 'text/csv': {} } } } } },
    { reply: {} },
    'response 200 (text/csv) was removed',
  ],
  [
    'a new request property is required',
    { request: object({ b: STRING }) },
    { request: object({ a: STRING, b: STRING }, 'a') },
    'body: a is now required',
  ],
  [
    'a request property becomes required in the items of a list',
    { request: { type: 'array', items: object({ a: STRING }) } },
    { request: { type: 'array', items: object({ a: STRING }, 'a') } },
    'body/items: a is now required',
  ],
  [
    'a request property is removed where no others are allowed',
    { request: { ...object({ a: STRING }), additionalProperties: false } },
    { request: { ...object({}), additionalProperties: false } },
    'body/a is no longer accepted',
  ],
  [
    'a request object is closed',
    { request: object({ a: STRING }) },
    { request: { ...object({ a: STRING }), additionalProperties: false } },
    'body/additionalProperties is no longer accepted',
  ],
  [
    'a request enum loses a value',
    { request: ENUM },
    { request: { ...ENUM, enum: ['a'] } },
    'body: enum "a", "b" -> "a"',
  ],
  [
    'a request type is another one',
    { request: STRING },
    { request: { type: 'integer' } },
    'body: type string -> integer',
  ],
  [
    'a request type is narrowed',
    { request: { type: 'number' } },
    { request: { type: 'integer' } },
    'body: type number -> integer',
  ],
  [
    'a request property is not nullable any more',
    { request: object({ a: { type: ['string', 'null'] } }) },
    { request: object({ a: STRING }) },
    'body/a: type string, null -> string',
  ],
  [
    'a request has a maximum length now',
    { request: STRING },
    { request: { ...STRING, maxLength: 9 } },
    'body: maxLength none -> 9',
  ],
  [
    'a bound of a request excludes itself',
    { request: { type: 'number', minimum: 1 } },
    { request: { type: 'number', exclusiveMinimum: 1 } },
    'body: minimum 1 -> 1 (exclusive)',
  ],
  [
    'an exact int64 bound of a request is tightened by one',
    { request: { yaml: true }, yaml: '{type: integer, maximum: 9223372036854775807}' },
    { request: { yaml: true }, yaml: '{type: integer, maximum: 9223372036854775806}' },
    'body: maximum 9223372036854775807 -> 9223372036854775806',
  ],
  [
    'an int64 of a request becomes an int32',
    { request: { type: 'integer', format: 'int64', minimum: 0 } },
    { request: { type: 'integer', format: 'int32', minimum: 0 } },
    'body: maximum 9223372036854775807 -> 2147483647',
  ],
  [
    'a request gets a pattern',
    { request: STRING },
    { request: { ...STRING, pattern: '^a' } },
    'body: pattern any -> "^a"',
  ],
  [
    'a request gets a part of an allOf that narrows',
    { request: { allOf: [STRING] } },
    { request: { allOf: [STRING, { maxLength: 3 }] } },
    'body: maxLength none -> 3',
  ],
  [
    'an alternative of a request is removed',
    { request: { oneOf: [PET, DOG] } },
    { request: { oneOf: [PET] } },
    'body: oneOf accepts fewer values',
  ],
  [
    'a required reply property is removed',
    { reply: object({ a: STRING, b: STRING }, 'a') },
    { reply: object({ b: STRING }) },
    'response 200/a was removed',
  ],
  [
    'a reply property becomes optional',
    { reply: object({ a: STRING }, 'a') },
    { reply: object({ a: STRING }) },
    'response 200: a is now optional',
  ],
  [
    'a reply type is widened',
    { reply: { type: 'integer' } },
    { reply: { type: 'number' } },
    'response 200: type integer -> number',
  ],
  [
    'a reply becomes nullable',
    { reply: STRING },
    { reply: { type: ['string', 'null'] } },
    'response 200: type string -> string, null',
  ],
  [
    'a reply enum gets a value',
    { reply: { enum: ['a'] } },
    { reply: { enum: ['a', 'b'] } },
    'response 200: enum "a" -> "a", "b"',
  ],
  [
    'a bound of a reply is lifted',
    { reply: { ...STRING, maxLength: 9 } },
    { reply: STRING },
    'response 200: maxLength 9 -> none',
  ],
  [
    'a schema of a reply that refers to itself is widened',
    { ...TREE_REPLY, schemas: { Tree: TREE } },
    { ...TREE_REPLY, schemas: { Tree: WIDE_TREE } },
    'response 200/value: type integer -> number',
  ],
  [
    'a reply has one more alternative',
    { reply: { anyOf: [PET] } },
    { reply: { anyOf: [PET, DOG] } },
    'response 200: anyOf allows more values',
  ],
  [
    'a required reply header is removed',
    withHeader({ required: true, schema: STRING }),
    {},
    'response 200 header x-count was removed',
  ],
  [
    'a reply header becomes optional',
    withHeader({ required: true, schema: STRING }),
    withHeader({ schema: STRING }),
    'response 200 header x-count is now optional',
  ],
  [
    'credentials are needed',
    { document: BOTH },
    { document: { ...BOTH, security: [{ bearer: [] }] } },
    'credentials are now required',
  ],
  [
    'a second credential is needed',
    { document: { ...BOTH, security: [{ bearer: [] }] } },
    { document: { ...BOTH, security: [{ bearer: [], key: [] }] } },
    'credentials for bearer are no longer enough',
  ],
  [
    'a scope is needed',
    { document: { ...BOTH, security: [{ bearer: [] }] } },
    { document: { ...BOTH, security: [{ bearer: ['write'] }] } },
    'credentials for bearer are no longer enough',
  ],
])('it breaks clients when %s', (_, before, after, message) => {
  expect(breaks(before, after)).toEqual([message]);
});

// The same source; servers and new statuses are named there as no breaks, too.
test.each<[string, Parts, Parts]>([
  ['nothing changes', { ...TREE_REPLY, schemas: { Tree: TREE } }, { ...TREE_REPLY, schemas: { Tree: TREE } }],
  ['an operation is called otherwise', { operation: { operationId: 'a' } }, { operation: { operationId: 'b' } }],
  ['texts, tags and extensions change', {}, { operation: { summary: 'More.', tags: ['b'], 'x-unit': 'm' } }],
  ['a server is another one', {}, { document: { servers: [{ url: 'https://b.example' }] } }],
  ['an operation is new', { document: { paths: {} } }, {}],
  [
    'a path parameter has another name',
    {},
    { document: { paths: { '/a/{key}': { post: { parameters: [path('key')], responses: { 200: OK } } } } } },
  ],
  ['a status is removed', responses({ 201: OK, 404: OK, 503: OK }), responses({})],
  ['an error status is new', {}, responses({ 404: OK })],
  ['a status is declared by its range', responses({ 404: OK }), responses({ '4XX': OK })],
  ['a new query parameter is optional', {}, { operation: { parameters: [path('id'), QUERY] } }],
  ['a new body is optional', {}, { operation: { requestBody: json(STRING) } }],
  ['a body becomes optional', { request: STRING }, { operation: { requestBody: json(STRING) } }],
  [
    'a request property is new and optional',
    { request: object({ b: STRING }) },
    { request: object({ a: STRING, b: STRING }) },
  ],
  [
    'a reply property is optional and removed',
    { reply: object({ a: STRING, b: STRING }) },
    { reply: object({ b: STRING }) },
  ],
  ['a reply header is optional and removed', withHeader({ schema: STRING }), {}],
  ['a request property becomes optional', { request: object({ a: STRING }, 'a') }, { request: object({ a: STRING }) }],
  [
    'a new request property is required and readOnly',
    { request: object({}) },
    { request: object({ a: { ...STRING, readOnly: true } }, 'a') },
  ],
  ['a request enum gets a value', { request: { ...ENUM, enum: ['a'] } }, { request: ENUM }],
  ['a request type is widened', { request: { type: 'integer' } }, { request: { type: 'number' } }],
  [
    'an int32 of a request becomes an int64',
    { request: { type: 'integer', format: 'int32' } },
    { request: { type: 'integer', format: 'int64' } },
  ],
  ['a bound of a request is lifted', { request: { ...STRING, maxLength: 9, pattern: 'a' } }, { request: STRING }],
  ['a multiple of a request becomes a divisor', { request: { multipleOf: 10 } }, { request: { multipleOf: 5 } }],
  [
    'a decimal multiple of a request becomes a divisor',
    { request: { multipleOf: 0.3 } },
    { request: { multipleOf: 0.1 } },
  ],
  [
    'a default is spelled out',
    { request: STRING },
    { request: { ...STRING, default: 'a', minLength: 0, uniqueItems: false } },
  ],
  ['a request may have one more alternative', { request: { oneOf: [PET] } }, { request: { oneOf: [PET, DOG] } }],
  ['a media type of the request becomes a range', imageBody('image/png'), imageBody('image/*')],
  [
    'a media type of a reply is new',
    { reply: {} },
    { operation: { responses: { 200: { ...OK, content: { 'application/json': {}, 'text/csv': {} } } } } },
  ],
  ['a reply property is new', { reply: object({}) }, { reply: object({ a: STRING }, 'a') }],
  ['a reply property becomes required', { reply: object({ a: STRING }) }, { reply: object({ a: STRING }, 'a') }],
  [
    'a writeOnly property of a reply is removed',
    { reply: object({ a: { ...STRING, writeOnly: true }, b: STRING }, 'a') },
    { reply: object({ b: STRING }) },
  ],
  ['a reply is narrowed', { reply: { type: 'number' } }, { reply: { type: 'integer', minimum: 1 } }],
  [
    'a text of a reply becomes an enum',
    { reply: { ...STRING, maxLength: 9, pattern: 'a' } },
    { reply: { const: 'a' } },
  ],
  ['an alternative of a reply is removed', { reply: { anyOf: [PET, DOG] } }, { reply: PET }],
  ['alternatives of one type become one schema', { reply: STRING }, { reply: { anyOf: [ENUM, STRING] } }],
  ['a reply header is new', {}, withHeader({ required: true, schema: STRING })],
  [
    'a reply header is spelled otherwise',
    withHeader({ schema: STRING }),
    { operation: { responses: { 200: { ...OK, headers: { 'x-COUNT': { schema: STRING } } } } } },
  ],
  [
    'other credentials are enough, too',
    { document: { ...BOTH, security: [{ bearer: ['read'] }] } },
    { document: { ...BOTH, security: [{ bearer: [] }, { key: [] }] } },
  ],
  [
    'no credentials are needed',
    { document: { ...BOTH, security: [{ bearer: [] }] } },
    { document: { ...BOTH, security: [] } },
  ],
  [
    'a security scheme is called otherwise',
    { document: { ...BOTH, security: [{ bearer: [] }] } },
    { document: { components: { securitySchemes: { token: BEARER } }, security: [{ token: [] }] } },
  ],
  ['a reference is written out', { ...TREE_REPLY, schemas: { Tree: TREE } }, { reply: TREE, schemas: { Tree: TREE } }],
  [
    'an allOf is flattened',
    { request: { allOf: [object({ a: STRING }, 'a'), object({ b: ENUM })] } },
    { request: object({ b: ENUM, a: STRING }, 'a') },
  ],
])('it breaks no client when %s', (_, before, after) => {
  expect(breaks(before, after)).toEqual([]);
});

function imageBody(type: string): Parts {
  return { operation: { requestBody: { content: { [type]: {} } } } };
}

test.each<[string, Node, string[]]>([
  ['its meaning is written otherwise', { LOST: { ...ERROR, meaning: 'Gone.' }, NEW: { ...ERROR, number: 40402 } }, []],
  ['it is gone', {}, ['error 40401 (LOST with status 404) was removed']],
  ['it has another name', { OTHER: ERROR }, ['error 40401 (LOST with status 404) is now OTHER with status 404']],
  [
    'it has another status',
    { LOST: { ...ERROR, status: 410 } },
    ['error 40401 (LOST with status 404) is now LOST with status 410'],
  ],
])('an error number of the catalogue: %s', (_, rows, expected) => {
  expect(breaks(withCatalogue({ LOST: ERROR }), withCatalogue(rows))).toEqual(expected);
});
