import { ContractError } from '../../src/contract/text/mistake';
import type { Document } from '../../src/contract/schema/document';
import { loadContract, readOperations } from '../../src/contract/operation/load-contract';
import { parseYaml } from '../../src/contract/yaml/parse-yaml';
import { sha256 } from '../../../../generated/contract';
import { loadText as load } from '../../../../tests/support/load-text';
import { THINGS } from '../../../../tests/support/start-things';

const WITH_CAUSE = expect.objectContaining({ cause: expect.anything() as unknown }) as Error;

/** What the kit answers by itself. */
const OWN = `'400': {}, '500': {}, '503': {}`;

/** A contract with one operation, which is written as it stands. */
function withOperation(operation: string, rest = '', path = '/a'): string {
  return `openapi: 3.0.3\ninfo: { title: A, version: 1.0.0 }\nsecurity: []\npaths:\n  ${path}:\n    get: ${operation}\n${rest}`;
}

function withBody(schema: string, version = '3.0.3'): string {
  return withOperation(
    `{ operationId: a, responses: { '200': { content: { application/json: { schema: ${schema} } } }, ${OWN} } }`,
  ).replace('3.0.3', version);
}

function withRequestBody(schema: string, version = '3.0.3'): string {
  const body = `{ content: { application/json: { schema: ${schema} } } }`;
  return withOperation(`{ operationId: a, requestBody: ${body}, responses: { ${OWN} } }`).replace('3.0.3', version);
}

function withParameter(parameter: string): string {
  return withOperation(`{ operationId: a, parameters: [${parameter}], responses: { ${OWN} } }`);
}

test('the contract of the service is one that generated/ was made from', () => {
  expect(loadContract('openapi.yaml', sha256).operations.length).toBeGreaterThan(0);
  expect(load(THINGS).operations.map(({ id, method, path }) => [id, method, path])).toEqual([
    ['createThing', 'POST', '/things'],
  ]);
});

test.each(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])('%s is an operation', (method) => {
  const source = withOperation(`{ operationId: a, responses: { ${OWN} } }`).replace('get:', `${method}:`);
  expect(load(source).operations).toMatchObject([{ method: method.toUpperCase() }]);
});

test('a contract that generated/ was not made from is refused', () => {
  const message = 'tests/fixtures/notes.yaml is not the contract that generated/ was made from: run npm run generate';
  expect(() => loadContract('tests/fixtures/notes.yaml', sha256)).toThrow(message);
});

test('a file that is not there is named', () => {
  expect(() => loadContract('none.yaml', sha256)).toThrow(/none\.yaml cannot be read/);
  expect(() => loadContract('none.yaml', sha256)).toThrow(WITH_CAUSE);
});

test.each([
  ['a: [1,\n  b: }', `contract.yaml:2:6 missed comma between flow collection entries`],
  ['', `contract.yaml:1:1 expected a document, but the input is empty`],
  ['a: 1\na: 2', `contract.yaml:2:1 duplicated mapping key`],
  ['a: 1\n---\na: 2', `contract.yaml:1:1 expected a single document in the stream, but found more`],
])('YAML that cannot be read: %j', (source, message) => {
  expect(() => load(source)).toThrow(message);
  expect(() => load(source)).toThrow(WITH_CAUSE);
});

test('every mistake is told, each with its place', () => {
  const source = withOperation(
    '{ responses: { default: {} } }\n    put: { operationId: a, responses: { all: {}, 4xx: {} } }',
  );
  const places = ['put/responses/4xx the status', 'put/responses/all the status'];
  for (const place of places) expect(() => load(source)).toThrow(`contract.yaml#/paths/~1a/${place}`);
});

test.each([
  [
    'a schema that no operation can be served with',
    '{ type: object, properties: { a: { type: string, pattern: "[" } } }',
  ],
  ['one whose mistake is below what is right', '{ allOf: [{ type: object }, { $ref: "#/components/schemas/A" }] }'],
])('%s is a mistake of each operation that refers to it', (_, schema) => {
  const reference = "{ content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }";
  const operation = `{ requestBody: ${reference}, responses: { ${OWN} } }`;
  const source = withOperation(`${operation}\n    put: ${operation}`, `components: { schemas: { A: ${schema} } }`);
  const { operations, mistakes } = readOperations(parseYaml(source, 'contract.yaml') as Document);
  expect(operations.map(({ id, body }) => [id, body])).toEqual([
    ['getA', undefined],
    ['putA', undefined],
  ]);
  expect(mistakes).toHaveLength(1);
});

test('of what is known to be no OpenAPI, only what can be read is read', () => {
  const written = { paths: { '/a': { get: {} } }, components: { schemas: { A: null } } } as unknown as Document;
  const { document, operations } = readOperations(written, true);
  expect(document).toBe(written);
  expect(operations.map(({ id }) => id)).toEqual(['getA']);
  expect(() => readOperations(written)).toThrow(TypeError);
});

test.each([
  ['{ $ref: "#/x-a" }', '#/x-a is a part of itself'],
  ['{ properties: { b: { contains: {}, minContains: 1 } } }', '/properties/b/minContains OpenAPI 3.0 has no'],
])('a form that cannot be checked: %s', (schema, message) => {
  const body = `{ content: { multipart/form-data: { schema: ${schema} } } }`;
  const source = withOperation(`{ operationId: a, requestBody: ${body}, responses: { ${OWN} } }`).replace(
    'get:',
    'post:',
  );
  expect(() => load(source.replace('paths:', 'x-a: { allOf: [{ $ref: "#/x-a" }] }\npaths:'))).toThrow(message);
});

test('a mistake that is met twice is told once', () => {
  const body = '{ content: { application/json: { schema: { $ref: "#/x-a" } } } }';
  const source = withOperation(`{ operationId: a, responses: { "200": ${body}, "201": ${body}, ${OWN} } }`);
  expect(() => load(source.replace('paths:', 'x-a: { prefixItems: [] }\npaths:'))).toThrow(
    /^[^\n]+#\/x-a\/prefixItems OpenAPI 3.0 has no schema keyword prefixItems$/,
  );
});

test.each([
  [
    'a path parameter that is not declared',
    withOperation('{ operationId: a, responses: {} }', '', '/a/{b}'),
    'the path parameter b is not declared: list it in parameters, with in: path',
  ],
  [
    'a path parameter that is not in the path',
    withParameter('{ name: b, in: path, required: true, schema: {} }'),
    'the path parameter b is not in the path: write {b} into /a',
  ],
  [
    'two parameters without anything between them',
    withOperation(
      '{ operationId: a, parameters: [{ name: b, in: path, required: true, schema: {} }, { name: c, in: path, required: true, schema: {} }], responses: {} }',
      '',
      '/{b}{c}',
    ),
    '/{b}{c} has nothing between two parameters',
  ],
  [
    'a path without a slash',
    withOperation('{ operationId: a, responses: {} }', '', 'a'),
    'the path a has to start with a slash',
  ],
  [
    'two paths that match the same',
    `${withOperation('{ operationId: a, parameters: [{ name: b, in: path, required: true, schema: {} }], responses: {} }', '', '/a/{b}')}  /a/{c}:\n    get: { operationId: c, parameters: [{ name: c, in: path, required: true, schema: {} }], responses: {} }\n`,
    'GET /a/{c} matches just what GET /a/{b} does: leave one of them out',
  ],
  [
    'two paths that are the same once decoded',
    `${withOperation('{ operationId: a, parameters: [{ name: b, in: path, required: true, schema: {} }], responses: {} }', '', '/foo/{b}')}  /f%6Fo/{c}:\n    get: { operationId: c, parameters: [{ name: c, in: path, required: true, schema: {} }], responses: {} }\n`,
    'GET /foo/{b} matches just what GET /f%6Fo/{c} does: leave one of them out',
  ],
  [
    'a path with a brace that is not closed',
    withOperation('{ operationId: a, responses: {} }', '', '/foo/{b'),
    '/foo/{b has a brace that is not one of a pair',
  ],
  [
    'a header twice, in another case',
    withOperation(
      '{ operationId: a, parameters: [{ name: X-A, in: header, schema: {} }, { name: x-a, in: header, schema: {} }], responses: {} }',
    ),
    'the header parameter x-a is listed twice',
  ],
  [
    'a parameter of a path twice',
    withOperation('{ operationId: a, responses: {} }').replace(
      'get:',
      'parameters: [{ name: b, in: query, schema: {} }, { name: b, in: query, schema: {} }]\n    get:',
    ),
    '/parameters the query parameter b is listed twice',
  ],
  [
    'a header of a reply twice, in another case',
    withOperation(
      '{ operationId: a, responses: { "200": { headers: { X-A: { schema: {} }, x-a: { schema: {} } } } } }',
    ),
    '/headers/x-a the header x-a is listed twice',
  ],
  [
    'a path parameter that is not required',
    withParameter('{ name: b, in: path, schema: {} }'),
    'the path parameter b has to say required: true',
  ],
  ['a parameter elsewhere', withParameter('{ name: b, in: body, schema: {} }'), 'there are no parameters in body'],
  [
    'a parameter twice',
    withOperation(
      '{ operationId: a, parameters: [{ name: b, in: query, schema: {} }, { name: b, in: query, schema: {} }], responses: {} }',
    ),
    'the query parameter b is listed twice',
  ],
  [
    'a pattern that is no regular expression',
    withParameter('{ name: b, in: query, schema: { pattern: "[" } }'),
    '/schema/pattern Invalid regular expression: /[/: ',
  ],
  [
    'a pattern of names that is no regular expression',
    withParameter('{ name: b, in: query, schema: { patternProperties: { "(": {} } } }'),
    '/schema/patternProperties Invalid regular expression: /(/: ',
  ],
  ['a parameter without a schema', withParameter('{ name: b, in: query }'), 'a parameter needs a schema'],
  [
    'a style of another place',
    withParameter('{ name: b, in: query, style: matrix, schema: {} }'),
    'matrix is no style of query: write form, spaceDelimited, pipeDelimited, deepObject',
  ],
  [
    'a parameter that may be an array or not',
    withParameter('{ name: b, in: query, schema: { oneOf: [{ type: array }, { type: string }] } }'),
    'text does not tell an array, an object and anything else apart',
  ],
  [
    'an array inside an array',
    withParameter(
      '{ name: b, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: array } } }',
    ),
    'a parameter inside a parameter has no text',
  ],
  [
    'an array inside an object',
    withParameter('{ name: b, in: query, style: deepObject, schema: { properties: { c: { type: array } } } }'),
    'a parameter inside a parameter has no text',
  ],
  [
    'a deep array',
    withParameter('{ name: b, in: query, style: deepObject, schema: { type: array } }'),
    'deepObject is for objects',
  ],
  [
    'a delimited text',
    withParameter('{ name: b, in: query, style: pipeDelimited, schema: { type: string } }'),
    'pipeDelimited is for arrays',
  ],
  [
    'a delimited object that is exploded',
    withParameter('{ name: b, in: query, style: spaceDelimited, explode: true, schema: { type: object } }'),
    'spaceDelimited is for arrays',
  ],
  [
    'an exploded object of any members in a cookie',
    withParameter('{ name: b, in: cookie, schema: { type: object } }'),
    'members of an exploded object are told from other cookies by their names: list them all in properties',
  ],
  [
    'two exploded objects of any members',
    withOperation(
      '{ operationId: a, parameters: [{ name: b, in: query, schema: { type: object } }, { name: c, in: query, schema: { type: object } }], responses: {} }',
    ),
    'b and c would both have all other names of the query: list the properties of one',
  ],
  [
    'a parameter that is required and may be empty',
    withParameter('{ name: b, in: query, required: true, allowEmptyValue: true, schema: { type: integer } }'),
    'allowEmptyValue an empty value counts as absent, and this one is required',
  ],
  [
    'a parameter with two media types',
    withParameter('{ name: b, in: query, content: { application/json: {}, text/plain: {} } }'),
    'a parameter needs a schema, or content of application/json',
  ],
  [
    'a parameter that is an array of numbers or a text',
    withParameter(
      '{ name: b, in: query, schema: { oneOf: [{ type: array, items: { type: number } }, { type: string }] } }',
    ),
    'text does not tell an array, an object and anything else apart',
  ],
  [
    'a parameter that is an array or a text with commas',
    withParameter('{ name: b, in: query, explode: false, schema: { type: [array, string], items: { type: string } } }'),
    'text does not tell an array, an object and anything else apart',
  ],
  [
    'a parameter that is an object or a text',
    withParameter('{ name: b, in: query, schema: { type: [object, string] } }'),
    'text does not tell an array, an object and anything else apart',
  ],
  [
    'a path by reference to nowhere',
    withOperation('{ operationId: a, responses: {} }', '    $ref: "#/b"'),
    '#/paths/~1a/$ref #/b leads nowhere',
  ],
  [
    'a path by reference to one that has the same field',
    withOperation('{ operationId: a, responses: {} }', '    $ref: "#/paths/~1b"\n  /b: { get: { responses: {} } }'),
    '#/paths/~1a/get get is in #/paths/~1b, too: write it in one of them',
  ],
  [
    'a range of statuses in small letters',
    withOperation('{ operationId: a, responses: { 4xx: {} } }'),
    'the status 4xx is not valid: write one from 200 to 599, 2XX to 5XX, or default',
  ],
  [
    'a status of four digits',
    withOperation('{ operationId: a, responses: { "2000": {} } }'),
    'the status 2000 is not valid',
  ],
  [
    'a status that only ends in one',
    withOperation('{ operationId: a, responses: { a200: {} } }'),
    'the status a200 is not valid',
  ],
  [
    'another word than default',
    withOperation('{ operationId: a, responses: { all: {} } }'),
    'the status all is not valid',
  ],
  [
    'a field whose style has no text for its value',
    withOperation(
      '{ operationId: a, requestBody: { content: { application/x-www-form-urlencoded: { encoding: { b: { style: deepObject } }, schema: { properties: { b: { type: array } } } } } }, responses: {} }',
    ),
    'deepObject is for objects: write form',
  ],
  [
    'a body without a media type',
    withOperation('{ operationId: a, requestBody: { content: {} }, responses: {} }'),
    'a body needs a media type',
  ],
  ['a reference to nowhere', withBody('{ $ref: "#/components/schemas/A" }'), '#/components/schemas/A leads nowhere'],
  ['a reference to null', withBody('{ $ref: "#/x-a" }').replace('paths:', 'x-a: null\npaths:'), '#/x-a leads nowhere'],
  ['a reference to another file', withBody('{ $ref: "b.yaml" }'), '"b.yaml" leads out of the document'],
  [
    'a reference to itself',
    withBody('{ $ref: "#/x-a" }').replace('paths:', 'x-a: { $ref: "#/x-a" }\npaths:'),
    '#/x-a refers to itself',
  ],
  [
    'an int64 that is another number further down',
    withRequestBody(
      '{ anyOf: [{ properties: { a: { items: { type: integer, format: int64 } } } }, { additionalProperties: { items: { type: integer } } }] }',
    ),
    'what is an int64 in one alternative of anyOf is another number in the next',
  ],
  [
    'an int64 that is another number in a tuple',
    withRequestBody(
      '{ anyOf: [{ prefixItems: [{ type: integer, format: int64 }] }, { items: { type: number } }] }',
      '3.1.0',
    ),
    'what is an int64 in one alternative of anyOf is another number in the next',
  ],
  [
    'an int64 that is another number under a pattern',
    withRequestBody(
      '{ anyOf: [{ patternProperties: { a: { type: integer, format: int64 } } }, { patternProperties: { a: { type: number } } }] }',
    ),
    'what is an int64 in one alternative of anyOf is another number in the next',
  ],
  [
    'an int64 that only a condition has',
    withBody('{ properties: { a: {} }, if: {}, then: { properties: { a: { type: integer, format: int64 } } } }'),
    '/then an int64 that only then has is not supported: write it in properties',
  ],
  [
    'an int64 below what only a condition has',
    withBody(
      '{ dependentSchemas: { a: { properties: { b: { items: { type: integer, format: int64 } } } } } }',
      '3.1.0',
    ),
    '/dependentSchemas an int64 that only dependentSchemas has is not supported',
  ],
  [
    'an int64 under a pattern that only a condition has',
    withBody('{ if: {}, else: { properties: { a: { patternProperties: { b: { type: integer, format: int64 } } } } } }'),
    '/else an int64 that only else has is not supported',
  ],
  [
    'a bound that doubles round, beside an int64',
    withBody('{ allOf: [{ type: integer, format: int64 }, { maximum: 9007199254740993 }] }'),
    '/allOf/1/maximum maximum is not checked by all digits of an int64 away from its format: write them together',
  ],
  [
    'a divisor beside an int64',
    withBody('{ allOf: [{ type: integer, format: int64 }, { multipleOf: 3 }] }'),
    '/allOf/1/multipleOf multipleOf is not checked by all digits of an int64 away from its format',
  ],
  [
    'values that doubles round, of an alternative',
    withBody('{ oneOf: [{ type: integer, format: int64, enum: [1, 9007199254740993] }, { type: string }] }'),
    '/oneOf/0/enum enum is not checked by all digits of an int64 inside an alternative: write it outside',
  ],
  [
    'int64s that must differ, of an alternative',
    withBody('{ oneOf: [{ uniqueItems: true, items: { type: integer, format: int64 } }, { type: string }] }'),
    'uniqueItems inside an alternative cannot tell int64s apart exactly',
  ],
  [
    'a reference that depends on the schema around it',
    withBody('{ items: { $dynamicRef: "#a" } }', '3.1.0'),
    '/items/$dynamicRef what it refers to depends on the schema around it: write $ref',
  ],
  ['an unknown keyword', withBody('{ items: { foo: {} } }'), '/items/foo OpenAPI 3.0 has no schema keyword foo'],
  [
    'a security scheme that is not defined',
    withOperation('{ operationId: a, security: [{ toString: [] }], responses: {} }'),
    'the security scheme toString is not defined',
  ],
  [
    'a header of a reply without a schema',
    withOperation('{ operationId: a, responses: { "200": { headers: { X: { required: true } } } } }'),
    'a parameter needs a schema',
  ],
  [
    'a header of a reply that has no name',
    withOperation('{ operationId: a, responses: { "200": { headers: { "X Y": { schema: {} } } } } }'),
    'X Y is no name of a header',
  ],
  [
    'a header of a connection',
    withOperation('{ operationId: a, responses: { "200": { headers: { Keep-Alive: { schema: {} } } } } }'),
    'the header Keep-Alive is about a connection, not a reply: leave it out',
  ],
  [
    'several cookies in one Set-Cookie',
    withOperation('{ operationId: a, responses: { "200": { headers: { Set-Cookie: { schema: { type: array } } } } } }'),
    'one Set-Cookie has one cookie: give it the type string',
  ],
  [
    'a security scheme of another kind',
    withOperation(
      '{ operationId: a, security: [{ b: [] }], responses: {} }',
      'components: { securitySchemes: { b: { type: http, scheme: digest } } }\n',
    ),
    '#/components/securitySchemes/b is no security scheme of the kit',
  ],
  [
    'nothing but a client certificate',
    withOperation(
      '{ operationId: a, security: [{ b: [] }, { b: [], c: [] }], responses: {} }',
      'components: { securitySchemes: { b: { type: mutualTLS }, c: { type: http, scheme: bearer } } }\n',
    ),
    '#/components/securitySchemes/b/type TLS ends before the service, so that it sees no client certificate',
  ],
  [
    'a key elsewhere',
    withOperation(
      '{ operationId: a, security: [{ b: [] }], responses: {} }',
      'components: { securitySchemes: { b: { type: apiKey, name: k, in: body } } }\n',
    ),
    'an apiKey is in header, query or cookie',
  ],
  [
    'a key without a name',
    withOperation(
      '{ operationId: a, security: [{ b: [] }], responses: {} }',
      'components: { securitySchemes: { b: { type: apiKey, in: query } } }\n',
    ),
    'an apiKey needs a name',
  ],
])('what the kit cannot enforce is refused: %s', (_, source, message) => {
  expect(() => load(source)).toThrow(ContractError);
  expect(() => load(source)).toThrow(message);
});

test.each([
  '{ type: integer, format: int64, minimum: -5, maximum: 5, enum: [null, 1], exclusiveMinimum: true }',
  '{ properties: { a: { $ref: "#/paths/~1a/get/responses/200/content/application~1json/schema" } } }',
  '{ properties: { a: { not: { $ref: "#/paths/~1a/get/responses/200/content/application~1json/schema" } } } }',
  '{ type: number, minimum: -1.5e300 }',
  '{ oneOf: [{ type: integer, format: int64 }, { type: string }, { type: object, properties: { a: {} } }] }',
  '{ additionalProperties: { type: integer, format: int64 } }',
  '{ oneOf: [{ $ref: "#/x-tree" }, { $ref: "#/x-tree" }] }',
  '{ anyOf: [{ type: object, properties: { a: { type: integer, format: int64 } } }, { type: array, items: { type: number } }] }',
  '{ type: integer, format: int64, example: 9007199254740993 }',
  '{ maximum: 0.1, default: null, enum: [9007199254740991], x-a: 1, description: A. }',
  '{ not: { type: string }, additionalProperties: false, patternProperties: {} }',
])('what it can enforce is not: %s', (schema) => {
  const tree = 'x-tree: { properties: { id: { type: integer, format: int64 }, below: { $ref: "#/x-tree" } } }';
  expect(load(withBody(schema).replace('paths:', `${tree}\npaths:`)).operations).toHaveLength(1);
});

test('every annotation may stand beside a reference', () => {
  const annotations =
    'title: A, description: A, summary: A, example: A, examples: [A], deprecated: true, externalDocs: {}, $comment: A';
  const source = withBody(`{ $ref: "#/x-a", ${annotations} }`).replace('paths:', 'x-a: { type: string }\npaths:');
  expect(load(source).operations).toHaveLength(1);
});

test.each([
  ['minimum', "'1'", 'a number'],
  ['exclusiveMinimum', '1', 'true or false'],
  ['multipleOf', '0', 'a number above 0'],
  ['minLength', '-1', 'a whole number from 0 on'],
  ['maxItems', '1.5', 'a whole number from 0 on'],
  ['uniqueItems', "'yes'", 'true or false'],
  ['type', 'strin', 'a type, or a list of types'],
  ['type', '[]', 'a type, or a list of types'],
  ['format', '1', 'a text'],
  ['enum', '[]', 'a list of one value at least'],
  ['required', 'true', 'a list of names'],
  ['required', '[1]', 'a list of names'],
  ['items', '[{}]', 'a schema'],
  ['not', 'null', 'a schema'],
  ['allOf', '{}', 'a list of schemas'],
  ['oneOf', '[]', 'a list of schemas, one at least'],
  ['properties', '{ a: null }', 'schemas by name'],
  ['properties', '[]', 'schemas by name'],
  ['discriminator', 'kind', 'an object with a propertyName'],
])('a keyword whose value is another one is a mistake of one line: %s: %s', (keyword, value, what) => {
  const source = withBody(`{ ${keyword}: ${value} }`);
  expect(() => load(source)).toThrow(new RegExp(`^[^\\n]+/schema/${keyword} ${keyword} must be ${what}$`));
});

test.each([
  ['exclusiveMinimum', 'true', 'a number'],
  ['dependentRequired', '{ a: b }', 'lists of names by name'],
  ['dependentRequired', '[]', 'lists of names by name'],
])('the same of OpenAPI 3.1: %s: %s', (keyword, value, what) => {
  expect(() => load(withBody(`{ ${keyword}: ${value} }`, '3.1.0'))).toThrow(`${keyword} must be ${what}`);
});

test('a reference that is no JSON pointer is a mistake of one line', () => {
  expect(() => load(withBody('{ $ref: "#/paths/%zz" }'))).toThrow(
    /^[^\n]+\/schema\/\$ref #\/paths\/%zz leads nowhere: % begins two hexadecimal digits, and itself is %25$/,
  );
});

test('what an extension has is no schema', () => {
  const source = withBody('{}').replace('paths:', 'x-a: { schema: { type: 1 } }\npaths:');
  expect(load(source).operations).toHaveLength(1);
  const header = '{ headers: { x-a: { schema: { type: 1 } } } }';
  expect(() => load(withOperation(`{ responses: { "200": ${header}, ${OWN} } }`))).toThrow('type must be a type');
});

test.each([
  ['{ type: object }', true],
  ['{ properties: { a: {} } }', false],
  ['{ properties: { a: {} }, additionalProperties: false }', false],
  ['{ properties: { a: {} }, additionalProperties: {} }', true],
  ['{ allOf: [{ properties: { a: {} } }, { type: object }] }', false],
  ['{ allOf: [{ properties: { a: {} } }, { additionalProperties: true }] }', true],
])('whether a reply may have what is not listed: %s', (schema, isOpen) => {
  expect(
    load(withBody(schema)).operations[0]?.replies.get(200)?.media.get('application/json')?.shape.properties.get('body'),
  ).toMatchObject({
    isOpen,
  });
});

test('a reply may declare headers that need not be sent', () => {
  const source = withOperation(
    `{ operationId: a, responses: { "200": { headers: { X: { schema: {} }, Y: { required: false, schema: {} }, Content-Type: {} } }, ${OWN} } }`,
  );
  expect(load(source).operations).toHaveLength(1);
});

test('a reference may have escapes', () => {
  const source = withBody('{ $ref: "#/x~1a/b~0%20c" }').replace(
    'paths:',
    'x/a: { "b~ c": { type: integer, format: int64 } }\npaths:',
  );
  expect(
    load(source).operations[0]?.replies.get(200)?.media.get('application/json')?.shape.properties.get('body'),
  ).toMatchObject({
    isInt64: true,
  });
});

test('alternatives that hold themselves are compared, and end', () => {
  const node = (name: string, id: string): string =>
    `${name}: { type: object, properties: { id: ${id}, next: { $ref: '#/components/schemas/${name}' } } }`;
  const withNodes = (other: string): string =>
    `${withRequestBody("{ anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }")}
components: { schemas: { ${node('A', '{ type: integer, format: int64 }')}, ${node('B', other)} } }
`;
  expect(load(withNodes('{ type: integer, format: int64 }')).operations).toHaveLength(1);
  expect(() => load(withNodes('{ type: number }'))).toThrow('is another number in the next');
});
