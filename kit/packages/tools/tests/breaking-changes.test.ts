import { findBreakingChanges, type BreakingChange } from '../src/check/breaking-changes';
import { readOperations, parseYaml, type Document } from '@contract-kit/contract';

type Node = Readonly<Record<string, unknown>>;
type Schema = Node | boolean;

const OK = { description: 'It is done.' };
const [S, I, N] = [{ type: 'string' }, { type: 'integer' }, { type: 'number' }];
const BEARER = { type: 'http', scheme: 'bearer' };
const KEY = { type: 'apiKey', in: 'header', name: 'X-Key' };
const TREE = { $ref: '#/components/schemas/Tree' };

function object(properties: Readonly<Record<string, Schema>>, ...required: string[]): Node {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function closed(properties: Node): Node {
  return { type: 'object', properties, additionalProperties: false };
}

function list(items: Schema, more: Node = {}): Node {
  return { type: 'array', items, ...more };
}

function json(schema: Schema): Node {
  return { content: { 'application/json': { schema } } };
}

function post(operation: Node, path = '/a', item: Node = {}): Node {
  return { paths: { [path]: { post: { responses: { 200: OK }, ...operation }, ...item } } };
}

function request(schema: Schema): Node {
  return post({ requestBody: { required: true, ...json(schema) } });
}

function reply(schema: Schema): Node {
  return post({ responses: { 200: { ...OK, ...json(schema) } } });
}

function webhook(schema: Schema): Node {
  return { webhooks: { made: { post: { requestBody: json(schema), responses: { 200: OK } } } } };
}

function callback(schema: Schema, statuses: readonly number[] = [200]): Node {
  const responses = Object.fromEntries(statuses.map((status) => [status, OK]));
  return post({ callbacks: { done: { '{$request.body#/url}': { post: { requestBody: json(schema), responses } } } } });
}

function parameter(location: string, schema: Schema, more: Node = {}): Node {
  return post({ parameters: [{ name: 'X-Q', in: location, schema, ...more }] });
}

function replyHeader(schema: Schema, more: Node = { required: true }): Node {
  return post({ responses: { 200: { ...OK, headers: { 'X-Q': { schema, ...more } } } } });
}

function body(type: string, schema: Schema = {}, more: Node = {}): Node {
  return post({ requestBody: { content: { [type]: { schema, ...more } } } });
}

function form(schema: Schema): Node {
  return body('application/x-www-form-urlencoded', object({ q: schema }));
}

function file(encoding: Node): Node {
  return body('multipart/form-data', object({ f: { ...S, contentMediaType: 'image/png' } }), { encoding });
}

function replies(responses: Node): Node {
  return post({ responses });
}

function path(name: string, more: Node = {}): Node {
  return { parameters: [{ name, in: 'path', required: true, schema: S, ...more }] };
}

function withSecurity(security: readonly Node[], securitySchemes: Node = { bearer: BEARER, key: KEY }): Node {
  return { ...post({}), security, components: { securitySchemes } };
}

function withTree(value: Schema, schema: Schema = TREE): Node {
  return { ...reply(schema), components: { schemas: { Tree: object({ value, below: TREE }) } } };
}

// Alternatives with a tag, and two that differ only in their names.
function withUnions(tagged: Schema, named: Schema): Node {
  const [C, D] = ['C', 'D'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const value = object({ tagged: { oneOf: [TAGGED[1], tagged] }, named: { anyOf: [C, D] } });
  return { ...request(value), components: { schemas: { C: named, D: { allOf: [named] } } } };
}

function compare(before: Node, after: Node): ReturnType<typeof findBreakingChanges> {
  const [old, now] = [before, after].map((parts) => {
    const written = { openapi: '3.1.0', info: { title: 'A', version: '1.0.0' }, paths: {}, ...parts };
    // JSON is YAML, too.
    const { document, operations, errors } = readOperations(parseYaml(JSON.stringify(written), 'a') as Document);
    expect(errors.map(({ message }) => message)).toEqual([]);
    return { document, operations };
  });
  return old && now ? findBreakingChanges(old, now) : [];
}

function judge(before: Node, after: Node): 'breaks' | 'may break' | 'breaks nothing' {
  const changes = compare(before, after);
  if (changes.length === 0) return 'breaks nothing';
  return changes.some(({ isCertain }) => isCertain) ? 'breaks' : 'may break';
}

// JSON.stringify writes every digit of it.
const MOST = JSON.rawJSON('9223372036854775807');
const TAGGED = ['a', 'b'].map((tag) => object({ kind: { const: tag } }, 'kind'));
const [F, B] = [object({ f: S, b: S }, 'f'), object({ f: S, b: S }, 'b')];
const IF = { if: { properties: { k: { const: 'x' } }, required: ['k'] } };
const X = { contains: { const: 'x' } };

// The change of a schema, and whether it breaks requests and replies: `!` it does, `?` it may, `-` it does not.
const ROWS: readonly (readonly [keyword: string, before: Schema, after: Schema, verdicts: string])[] = [
  ['multipleOf', { ...I, multipleOf: 4 }, { ...I, multipleOf: 6 }, '!!'],
  ['a decimal multiple', { multipleOf: 0.3 }, { multipleOf: 0.1 }, '-!'],
  ['the order of members', { const: { a: 1, b: [2] } }, { const: { b: [2], a: 1 } }, '--'],
  ['keywords for their defaults', S, { ...S, default: 'a', minLength: 0, uniqueItems: false }, '--'],
  ['allOf', { allOf: [object({ a: S }, 'a'), object({ b: I })] }, object({ b: I, a: S }, 'a'), '--'],
  ['a new property that is readOnly', object({ b: S }), object({ a: { ...S, readOnly: true }, b: S }, 'a'), '--'],
  ['multipleOf 1 for integer', { ...N, multipleOf: 1 }, I, '--'],
  ['a fraction as limit of integers', { ...I, minimum: 1.5 }, { ...I, minimum: 2 }, '--'],
  ['a pattern for another one', { ...S, pattern: '^[a-z]$' }, { ...S, pattern: '^[a-z0-9]$' }, '??'],
  ['a pattern for .*', { ...S, pattern: '^[a-z]$' }, { ...S, pattern: '.*' }, '-!'],
  ['enum for a pattern that its values match', { enum: ['a', 'b'] }, { ...S, pattern: '^[a-z]$' }, '-!'],
  ['enum for a pattern that a value does not match', { enum: ['a', 'B'] }, { ...S, pattern: '^[a-z]$' }, '!!'],
  ['enum for maxLength', { enum: ['a', 'bb'] }, { ...S, maxLength: 1 }, '!!'],
  ['enum for a minimum', { enum: [1, 2] }, { ...I, minimum: 2 }, '!!'],
  ['enum for a format', { enum: ['2026-01-01'] }, { ...S, format: 'date' }, '?!'],
  ['enum for minItems', { enum: [['a'], []] }, { type: 'array', minItems: 1 }, '!!'],
  ['enum for anyOf of its values', { enum: ['a', 'b'] }, { anyOf: [{ const: 'a' }, { const: 'b' }] }, '--'],
  ['boolean for its values', { type: 'boolean' }, { enum: [true, false] }, '--'],
  ['enum for one that not narrows', { enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'], not: { const: 'c' } }, '--'],
  ['an enum narrowed by not', { enum: ['a', 'b'] }, { enum: ['a', 'b'], not: { enum: ['b'] } }, '!-'],
  ['uniqueItems of one item', list(S, { maxItems: 1 }), list(S, { maxItems: 1, uniqueItems: true }), '--'],
  ['maxItems of a closed tuple', { prefixItems: [S], items: false }, { prefixItems: [S], maxItems: 1 }, '--'],
  ['minProperties beside required', object({ a: S }, 'a'), { ...object({ a: S }, 'a'), minProperties: 1 }, '--'],
  ['maxProperties of a closed object', closed({ a: S }), { ...closed({ a: S }), maxProperties: 1 }, '--'],
  ['all types for none', { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }, {}, '--'],
  ['not', S, { ...S, not: { const: 'a' } }, '!-'],
  ['not of a range', I, { ...I, not: { minimum: 5, maximum: 7 } }, '!-'],
  ['not for a wider one', { ...S, not: { const: 'a' } }, { ...S, not: { enum: ['a', 'b'] } }, '!-'],
  ['not of another type', I, { ...I, not: S }, '--'],
  ['not of two properties', object({ a: S, b: S }), { ...object({ a: S, b: S }), not: { required: ['a', 'b'] } }, '?-'],
  ['if and then', object({ k: S, v: S }), { ...object({ k: S, v: S }), ...IF, then: { required: ['v'] } }, '!-'],
  ['if and else', object({ k: S, v: S }), { ...object({ k: S, v: S }), ...IF, else: { required: ['v'] } }, '!-'],
  ['if alone', object({ k: S }), { ...object({ k: S }), ...IF }, '--'],
  ['dependentRequired', object({ a: S, b: S }), { ...object({ a: S, b: S }), dependentRequired: { a: ['b'] } }, '!-'],
  [
    'dependentSchemas for dependentRequired',
    { ...object({ a: S, b: S }), dependentSchemas: { a: { required: ['b'] } } },
    { ...object({ a: S, b: S }), dependentRequired: { a: ['b'] } },
    '--',
  ],
  ['contains', list(S), list(S, X), '!-'],
  ['contains of what all items are', list(X.contains, { minItems: 1 }), list(X.contains, { minItems: 1, ...X }), '--'],
  ['minContains', list(S, X), list(S, { ...X, minContains: 2 }), '!-'],
  ['maxContains', list(S, X), list(S, { ...X, maxContains: 2 }), '!-'],
  ['contains for another one', list(S, X), list(S, { contains: { const: 'y' } }), '??'],
  ['propertyNames', { type: 'object' }, { type: 'object', propertyNames: { maxLength: 1 } }, '!-'],
  [
    'propertyNames of a closed object',
    closed({ a: S }),
    { ...closed({ a: S }), propertyNames: { maxLength: 1 } },
    '--',
  ],
  ['patternProperties', { patternProperties: { '^a': S } }, { patternProperties: { '^a': I } }, '!!'],
  ['patternProperties of a name', object({ ab: S }), { ...object({ ab: S }), patternProperties: { '^a': I } }, '!-'],
  [
    'patternProperties for another one',
    { patternProperties: { '^a': S }, additionalProperties: false },
    { patternProperties: { '^a': S, b$: I }, additionalProperties: false },
    '?!',
  ],
  ['the length of a tuple', { prefixItems: [S, S], items: false }, { prefixItems: [S], items: false }, '!-'],
  ['unevaluatedProperties', object({ a: S }), { allOf: [object({ a: S })], unevaluatedProperties: false }, '!-'],
  ['unevaluatedItems', { prefixItems: [S] }, { prefixItems: [S], unevaluatedItems: false }, '!-'],
  ['a property of a map', { type: 'object' }, object({ a: S }), '!-'],
  ['a property beside others', object({ b: S }), object({ a: S, b: S }), '--'],
  ['oneOf for anyOf', { oneOf: [S, I] }, { anyOf: [S, I] }, '--'],
  ['oneOf of overlapping types for anyOf', { oneOf: [N, I] }, { anyOf: [N, I] }, '-!'],
  ['anyOf for oneOf of what overlaps', { anyOf: [F, B] }, { oneOf: [F, B] }, '?-'],
  ['required for oneOf of each', object({ f: S, b: S }, 'f', 'b'), { oneOf: [F, B] }, '!!'],
  ['an alternative with another tag', { oneOf: TAGGED.slice(1) }, { oneOf: TAGGED }, '-!'],
  [
    'an alternative with another property',
    { oneOf: [object({ a: S }, 'a')] },
    { oneOf: [object({ a: S }, 'a'), object({ b: S }, 'b')] },
    '-!',
  ],
  ['types for oneOf', { type: ['string', 'array'], items: S }, { oneOf: [S, list(S)] }, '--'],
  [
    'a range for two',
    { ...I, minimum: 0, maximum: 9 },
    {
      anyOf: [
        { ...I, minimum: 0, maximum: 4 },
        { ...I, minimum: 5, maximum: 9 },
      ],
    },
    '?-',
  ],
  ['writeOnly gained', object({ a: S, b: S }, 'a'), object({ a: { ...S, writeOnly: true }, b: S }, 'a'), '-!'],
  [
    'the type of a readOnly property',
    object({ a: { ...S, readOnly: true } }),
    object({ a: { ...I, readOnly: true } }),
    '-!',
  ],
  ['a format for another one', { ...S, format: 'email' }, { ...S, format: 'hostname' }, '!!'],
  ['uint8 for int32', { ...I, format: 'uint8' }, { ...I, format: 'int32' }, '-!'],
  [
    'annotations',
    { ...S, title: 'a', default: 'a' },
    { ...S, description: 'b', contentMediaType: 'text/csv', 'x-a': 1 },
    '--',
  ],
];

const VERDICTS: Readonly<Record<string, string>> = { '!': 'breaks', '?': 'may break', '-': 'breaks nothing' };

test.each(ROWS)(
  'it is known what changing %s breaks, in bodies, deep inside, in webhooks and callbacks',
  (_keyword, before, after, verdicts) => {
    const [ofRequest, ofReply] = Array.from(verdicts, (one) => VERDICTS[one]);
    const deep = (schema: Schema): Schema => list(object({ v: schema, w: S }));
    const judgeBy = (toContract: (schema: Schema) => Node) => judge(toContract(before), toContract(after));
    expect([judgeBy(request), judgeBy((schema) => request(deep(schema)))]).toEqual([ofRequest, ofRequest]);
    // A webhook tells subscribers something, as a reply does; what only replies have is not in its request.
    const isMarked = JSON.stringify([before, after]).includes('Only');
    const outgoing = isMarked ? [] : [judgeBy(webhook), judgeBy(callback)];
    expect([judgeBy(reply), ...outgoing]).toEqual([ofReply, ...outgoing.map(() => ofReply)]);
  },
);

test.each<[notation: string, more: Node]>([
  ['an exploded object', { style: 'form' }],
  ['a deep object', { style: 'deepObject' }],
  ['an object in a header', { in: 'header' }],
])('another default of a property of %s may break clients that leave it out', (_notation, more) => {
  const of = (value: string): Node => parameter('query', closed({ a: S, b: { ...S, default: value } }), more);
  const [change, ...others] = compare(of('up'), of('down'));
  expect(change).toMatchObject({ rule: 'request-default', isCertain: false });
  expect(change?.cause).toMatch(/x-q\/b: default "up" -> "down"$/i);
  expect(others).toEqual([]);
});

test('another default is listed where JSON in a parameter has it, also below a schema that refers to itself', () => {
  const of = (value: bigint | number): Node => ({
    ...post({ parameters: [{ name: 'X-Q', in: 'query', ...json(TREE) }] }),
    components: { schemas: { Tree: object({ value: { ...I, default: value }, below: TREE }) } },
  });
  expect(compare(of(1), of(2)).map(({ cause }) => cause)).toEqual(['query X-Q/value: default 1 -> 2']);
  expect(compare(of(1), of(1))).toEqual([]);
});

test('another default of a parameter may break clients that leave it out', () => {
  const of = (value: string): Node => parameter('query', { ...S, default: value });
  expect(judge(of('up'), of('down'))).toBe('may break');
});

function typed(type: string, schema: Node = {}): Node {
  return replies({ 200: { ...OK, content: { [type]: { schema } } } });
}

test.each([
  ['application/x+json; version=1', 'application/x+json', 'may break'],
  ['application/x+json', 'application/x+json; version=1', 'breaks nothing'],
  ['application/x+json; profile="a"', 'application/x+json', 'may break'],
  ['text/plain; charset=utf-8', 'text/plain', 'may break'],
  ['text/plain', 'text/plain; charset=utf-8', 'breaks nothing'],
  ['text/plain', 'text/plain; charset=iso-8859-1', 'may break'],
  ['application/json; charset=utf-8', 'application/json', 'breaks nothing'],
  ['application/json', 'application/*', 'may break'],
])('a reply of the type %s that becomes %s: %s', (before, after, verdict) => {
  expect(judge(typed(before), typed(after))).toBe(verdict);
});

test('a type of a reply that is left open is listed by its name', () => {
  const [change] = compare(typed('application/x+json; version=1'), typed('application/x+json'));
  expect(change?.cause).toBe('response 200 (application/x+json; version=1) may be application/x+json');
});

const TEXTS: readonly (readonly [change: string, before: Schema, after: Schema, verdicts: string])[] = [
  ['an integer for a string', I, S, '-!'],
  ['an enum value that is not of the type', { ...I, enum: [1, 'a'] }, { ...I, enum: [1] }, '--'],
  ['an enum of integers for their texts', { ...I, enum: [1, 2] }, { ...S, enum: ['1', '2'] }, '--'],
  ['an enum of digits for an integer', { ...S, enum: ['1', '2'] }, I, '-!'],
  ['a boolean for its texts', { type: 'boolean' }, { ...S, enum: ['true', 'false'] }, '--'],
  ['an integer for a short string', I, { ...S, maxLength: 3 }, '!!'],
  ['a minimum', I, { ...I, minimum: 1 }, '!-'],
  ['integers for strings in a list', list(I), list(S), '-!'],
];

test.each(TEXTS)('parameters and headers are compared as text: %s', (_change, before, after, verdicts) => {
  const [ofRequest, ofReply] = Array.from(verdicts, (one) => VERDICTS[one]);
  for (const location of ['query', 'header', 'cookie'])
    expect(judge(parameter(location, before), parameter(location, after))).toBe(ofRequest);
  expect(judge(form(before), form(after))).toBe(ofRequest);
  expect(judge(replyHeader(before), replyHeader(after))).toBe(ofReply);
});

test.each<[string, Node, Node]>([
  [
    'an integer for JSON',
    post({ parameters: [{ name: 'X-Q', in: 'query', ...json(closed({})) }] }),
    parameter('query', I),
  ],
  ['JSON for text', parameter('query', S), post({ parameters: [{ name: 'X-Q', in: 'query', ...json(closed({})) }] })],
  [
    'the JSON of a string for its text',
    parameter('query', S),
    post({ parameters: [{ name: 'X-Q', in: 'query', ...json(S) }] }),
  ],
  [
    'the text of a string for its JSON',
    post({ parameters: [{ name: 'X-Q', in: 'query', ...json(S) }] }),
    parameter('query', S),
  ],
  [
    'the JSON of a string for its text in a header of a reply',
    replyHeader(S),
    post({ responses: { 200: { ...OK, headers: { 'X-Q': { required: true, ...json(S) } } } } }),
  ],
  [
    'an encoding of reserved characters in a field',
    body('application/x-www-form-urlencoded', object({ q: S }), { encoding: { q: { style: 'form' } } }),
    body('application/x-www-form-urlencoded', object({ q: S }), { encoding: { q: { allowReserved: true } } }),
  ],
  [
    'a cookie that is not encoded any more',
    { openapi: '3.2.0', ...parameter('cookie', S) },
    { openapi: '3.2.0', ...parameter('cookie', S, { style: 'cookie' }) },
  ],
  [
    'a dot before a number in a path',
    post(path('id', { schema: I }), '/a/{id}'),
    post(path('id', { schema: I, style: 'label' }), '/a/{id}'),
  ],
  ['a list for one value', parameter('query', list(S)), parameter('query', S)],
  ['a list of two for one value', parameter('query', S), parameter('query', list(S, { minItems: 2 }))],
  ['a list with commas for one text', parameter('query', S), parameter('query', list(S), { explode: false })],
  [
    'another style of an object',
    parameter('query', closed({ a: S }), { style: 'deepObject' }),
    parameter('query', closed({ a: S })),
  ],
  [
    'explode of an object in a header',
    parameter('header', object({ a: S })),
    parameter('header', object({ a: S }), { explode: true }),
  ],
  ['no empty value any more', parameter('query', I, { allowEmptyValue: true }), parameter('query', I)],
  [
    'the case of a cookie',
    parameter('cookie', S, { required: true }),
    post({ parameters: [{ name: 'x-q', in: 'cookie', required: true, schema: S }] }),
  ],
  ['a narrower range of media types', body('image/*'), body('image/png')],
  [
    'fewer media types of a part',
    file({ f: { contentType: 'image/png, image/jpeg' } }),
    file({ f: { contentType: 'image/png' } }),
  ],
  [
    'another style of a field',
    body('application/x-www-form-urlencoded', object({ q: list(S) }), { encoding: { q: { style: 'form' } } }),
    body('application/x-www-form-urlencoded', object({ q: list(S) }), {
      encoding: { q: { style: 'spaceDelimited', explode: false } },
    }),
  ],
  [
    'a smaller limit of a body',
    post({ requestBody: json(S) }),
    post({ requestBody: { ...json(S), 'x-body-limit': '1mb' } }),
  ],
  ['a new redirect', replies({ 200: OK }), replies({ 200: OK, 302: OK })],
  ['another schema of a range', replies({ 404: { ...OK, ...json(S) } }), replies({ '4XX': { ...OK, ...json(I) } })],
  ['an optional header of a reply', replyHeader(S), replyHeader(S, {})],
  ['a callback that is gone', callback(S), post({})],
  ['a response that a callback no longer takes', callback(S, [200, 204]), callback(S)],
  ['a webhook that is gone', webhook(S), {}],
  ['a path with another operationId', post({ operationId: 'a' }), post({ operationId: 'a' }, '/b')],
])('clients break with %s', (_change, before, after) => {
  expect(judge(before, after)).toBe('breaks');
});

test.each<[string, Node, Node]>([
  ['text for JSON', post({ parameters: [{ name: 'X-Q', in: 'query', ...json(closed({})) }] }), parameter('query', S)],
  [
    'a number for JSON that is one',
    post({ parameters: [{ name: 'X-Q', in: 'query', ...json(I) }] }),
    parameter('query', N),
  ],
  ['a list of one for a value', parameter('query', I), parameter('query', list(I), { explode: false })],
  [
    'an object whose members are text',
    parameter('query', closed({ a: I }), { style: 'deepObject' }),
    parameter('query', closed({ a: S }), { style: 'deepObject' }),
  ],
  [
    'reserved characters in a part, which is never encoded',
    body('multipart/form-data', object({ q: S }), { encoding: { q: { style: 'form' } } }),
    body('multipart/form-data', object({ q: S }), { encoding: { q: { allowReserved: true } } }),
  ],
  [
    'another style of a number in a cookie',
    { openapi: '3.2.0', ...parameter('cookie', I) },
    { openapi: '3.2.0', ...parameter('cookie', I, { style: 'cookie' }) },
  ],
  ['an undeclared cookie', parameter('cookie', S), post({})],
  ['the case of a media type', body('text/CSV', S), body('text/csv', S)],
  [
    'more media types of a part',
    file({ f: { contentType: 'image/png' } }),
    file({ f: { contentType: 'image/png, image/jpeg' } }),
  ],
  ['text instead of a number in a body', body('text/plain', I), body('text/plain', S)],
  ['a status for a range', replies({ '2XX': { ...OK, ...json(S) } }), replies({ 200: { ...OK, ...json(S) } })],
  ['another server', post({}), { ...post({}), servers: [{ url: 'https://b.example' }] }],
  ['a range of media types for one', body('image/png'), body('image/*')],
  ['alternatives for one', reply(object({ a: S, b: S })), reply({ oneOf: [object({ a: S }), object({ b: S })] })],
  ['a new default', replies({ 200: OK }), replies({ 200: OK, default: OK })],
  [
    'a media type for a range in a reply',
    replies({ 200: { ...OK, content: { 'image/*': {} } } }),
    replies({ 200: { ...OK, content: { 'image/png': {} } } }),
  ],
  ['one more response to a callback', callback(S), callback(S, [200, 204])],
])('no client breaks with %s', (_change, before, after) => {
  expect(judge(before, after)).toBe('breaks nothing');
});

// What is said of each change, and nothing of a change that breaks no client.
test.each<[change: string, before: Node, after: Node, causes: readonly string[]]>([
  ['an operation is removed', post({}), {}, ['POST /a was removed']],
  ['an operation is new', {}, post({}), []],
  ['an operation is called otherwise', post({ operationId: 'a' }), post({ operationId: 'b', summary: 'More.' }), []],
  [
    'the server has another path',
    post({}),
    post({}, '/a', { servers: [{ url: '/b' }] }),
    ['the path of the first server is now /b'],
  ],
  ['a path parameter is called otherwise', post(path('id'), '/a/{id}'), post(path('key'), '/a/{key}'), []],
  ['a success status is new', replies({ 200: OK }), replies({ 200: OK, 202: OK }), ['response 202 was added']],
  ['an error status is new', replies({ 200: OK }), replies({ 200: OK, 404: OK }), []],
  [
    'a parameter becomes required',
    parameter('query', S),
    parameter('query', S, { required: true }),
    ['query X-Q is now required'],
  ],
  ['a new parameter is optional', post({}), parameter('query', S), []],
  ['a parameter is removed', parameter('query', S), post({}), ['query X-Q is no longer accepted']],
  [
    'a parameter has an enum',
    parameter('query', S),
    parameter('query', { enum: ['a', 'b'] }),
    ['query X-Q: enum any -> "a", "b"'],
  ],
  ['a parameter has a default', parameter('query', S), parameter('query', { ...S, default: 'up' }), []],
  [
    'a parameter has another default',
    parameter('query', { allOf: [{ ...S, default: 'up' }] }),
    parameter('query', { ...S, default: 'down' }),
    ['query X-Q: default "up" -> "down"'],
  ],
  [
    'a parameter has no default any more',
    parameter('header', { ...I, default: 1 }),
    parameter('header', I),
    ['header x-q: default 1 -> null'],
  ],
  ['a new body is required', post({}), request(S), ['the body is now required']],
  ['a new body is optional', post({}), body('application/json'), []],
  ['a body is removed', request(S), post({}), ['the body is no longer accepted']],
  [
    'a body has another media type',
    body('text/csv'),
    body('application/json'),
    ['body (text/csv) is no longer accepted'],
  ],
  [
    'an int64 has a limit that is less by one',
    request({ ...I, maximum: MOST }),
    request({ ...I, exclusiveMaximum: MOST }),
    ['body: maximum 9223372036854775807 -> 9223372036854775806'],
  ],
  [
    'an int64 becomes an int32',
    request({ ...I, format: 'int64', minimum: 0 }),
    request({ ...I, format: 'int32', minimum: 0 }),
    ['body: maximum 9223372036854775807 -> 2147483647'],
  ],
  [
    'an alternative is new',
    reply({ anyOf: TAGGED.slice(1) }),
    reply({ anyOf: TAGGED }),
    ['response 200: anyOf allows more values'],
  ],
  [
    'a required property is removed',
    reply(object({ a: S, b: S }, 'a')),
    reply(object({ b: S })),
    ['response 200: a was removed'],
  ],
  [
    'a property becomes optional',
    reply(object({ a: S }, 'a')),
    reply(object({ a: S })),
    ['response 200: a is now optional'],
  ],
  [
    'a schema that refers to itself is widened',
    withTree(I),
    withTree(N),
    ['response 200/value: type integer -> number'],
  ],
  [
    'an alternative that its tag or its name distinguishes is changed',
    withUnions(object({ kind: { const: 'a' }, v: { enum: [1, 2] } }, 'kind'), object({ c: I })),
    withUnions(object({ kind: { const: 'a' }, v: { enum: [1] } }, 'kind', 'v'), object({ c: S })),
    [
      'body/tagged: v is now required',
      'body/tagged/v: enum 1, 2 -> 1',
      'body/named/C/c: type integer -> string',
      'body/named/D/c: type integer -> string',
    ],
  ],
  [
    'alternatives overlap now, or one of them is gone',
    request(object({ more: { oneOf: [S, I] }, gone: { oneOf: TAGGED } })),
    request(object({ more: { oneOf: [S, { type: ['string', 'integer'] }] }, gone: { oneOf: TAGGED.slice(1) } })),
    ['body/more: oneOf accepts fewer values', 'body/gone: oneOf accepts fewer values'],
  ],
  [
    'optional properties are removed or renamed, in a list and in an alternative',
    reply(
      object({
        next: S,
        all: list(object({ a: S, b: S })),
        one: { oneOf: [TAGGED[1], object({ kind: { const: 'a' }, c: S }, 'kind')] },
      }),
    ),
    reply(object({ nextPage: S, all: list(object({ b: S })), one: { oneOf: TAGGED } })),
    ['response 200/all/items: a was removed', 'response 200/one: c was removed', 'response 200: next was removed'],
  ],
  ['a reference is written out', withTree(I), withTree(I, object({ value: I, below: TREE })), []],
  ['a required header is removed', replyHeader(S), reply({}), ['response 200 header x-q was removed']],
  ['credentials are needed', withSecurity([]), withSecurity([{ key: [] }]), ['credentials: none -> header X-Key']],
  [
    'a scope is needed',
    withSecurity([{ bearer: [] }]),
    withSecurity([{ bearer: ['write'] }]),
    ['credentials: bearer -> bearer (write)'],
  ],
  [
    'an API key has another header',
    withSecurity([{ key: [] }]),
    withSecurity([{ key: [] }], { key: { ...KEY, name: 'X-Other' } }),
    ['credentials: header X-Key -> header X-Other'],
  ],
  [
    'other credentials are enough, too',
    withSecurity([{ bearer: ['read'] }]),
    withSecurity([{ key: [] }, { bearer: [] }]),
    [],
  ],
  [
    'a security scheme is called otherwise',
    withSecurity([{ key: [] }]),
    withSecurity([{ token: [] }], { token: KEY }),
    [],
  ],
])('the causes are named when %s', (_change, before, after, causes) => {
  expect(compare(before, after).map(({ cause }) => cause)).toEqual(causes);
});

test.each<[keyword: string, open: Node, closed: Node, path: string]>([
  ['additionalProperties', object({ a: S }), closed({ a: S }), '/additionalProperties'],
  ['additionalProperties', object({ a: S, b: S }), closed({ a: S }), '/b'],
  ['unevaluatedProperties', object({ a: S, b: S }), { ...object({ a: S }), unevaluatedProperties: false }, '/b'],
  ['unevaluatedItems', { type: 'array' }, { type: 'array', unevaluatedItems: false }, '/items'],
])('%s: false is named and found, as its own change, when %j becomes %j', (keyword, open, shut, path) => {
  const other = { type: 'object', properties: { more: closed({}), it: open } };
  const find = (schema: Node): Node => ({ ...other, properties: { ...other.properties, it: schema } });
  for (const [kind, create] of [
    ['request', request],
    ['response', reply],
  ] as const) {
    const isRequest = kind === 'request';
    const changes = isRequest
      ? compare(create(find(open)), create(find(shut)))
      : compare(create(find(shut)), create(find(open)));
    const cause = isRequest ? `body/it${path} is no longer accepted` : `response 200/it${path} was added`;
    const found = changes.find((change) => change.cause === cause);
    expect(found?.rule).toBe(`${kind}-${keyword}`);
    const { node, key } = Object(isRequest ? found : found?.before) as Partial<BreakingChange>;
    expect({ node, key }).toEqual({ node: shut, key: keyword });
  }
});

test.each<[string, Node, Node]>([
  ['replies have no optional header any more', replyHeader(S, {}), reply({})],
  ['a webhook has no optional property any more', webhook(object({ a: S, b: S })), webhook(object({ b: S }))],
  ['replies no longer say a property', reply(object({ a: S })), reply(object({ a: { ...S, writeOnly: true } }))],
  ['+ is read in another way', parameter('query', S, { allowReserved: true }), parameter('query', S)],
  ['a status becomes a range', replies({ 200: OK }), replies({ '2XX': OK })],
])('a client may break if %s', (_change, before, after) => {
  expect(judge(before, after)).toBe('may break');
});

test('a change among too many combinations of alternatives may break clients, and a plain one beside them breaks them', () => {
  const letters = Array.from('abcdefgh');
  const create = (type: Node, plain: Node): Node => {
    const choose = (name: string): Node => ({
      anyOf: letters.map((letter) => object({ [name + letter]: type }, name + letter)),
    });
    return request(object({ many: { allOf: letters.map(choose) }, plain }));
  };
  const [before, after] = [create(S, S), create(I, S)];
  expect(judge(before, after)).toBe('may break');
  expect(judge(before, create(I, I))).toBe('breaks');
});
