import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractError } from '../src/text/document-error';
import type { Document } from '../src/2-resolve/document';
import { loadContract, readOperations } from '../src/load-contract';
import { parseYaml } from '../src/1-parse/parse-yaml';
import { sha256 } from '@contract-kit/test-support/plants/generated/contract';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { loadText as load } from '@contract-kit/test-support/load-text';
import { THINGS } from '@contract-kit/test-support/start-things';

const FOLDER = useFolder();

const WITH_CAUSE = expect.objectContaining({ cause: expect.anything() as unknown }) as Error;

/** What the kit answers by itself. */
const OWN = `'400': {}, '500': {}, '503': {}`;

/** A contract with one operation, which is written as it stands. */
function withOperation(operation: string, rest = '', path = '/a'): string {
  return `openapi: 3.0.3\ninfo: { title: A, version: 1.0.0 }\nsecurity: []\npaths:\n  ${path}:\n    get: ${operation}\n${rest}`;
}

/** @param members of the operation, beside responses */
function withMembers(members: string, responses = OWN): string {
  return withOperation(`{ operationId: a, ${members}, responses: { ${responses} } }`);
}

function withBody(schema: string, version = '3.0.3'): string {
  const reply = `{ content: { application/json: { schema: ${schema} } } }`;
  return withOperation(`{ responses: { '200': ${reply}, ${OWN} } }`).replace('3.0.3', version);
}

function withRequestBody(schema: string, version = '3.0.3', type = 'application/json'): string {
  const source = withMembers(`requestBody: { content: { ${type}: { schema: ${schema} } } }`);
  return source.replace('3.0.3', version).replace('get:', 'post:');
}

const withStatus = (status: string): string => withMembers('tags: []', `${status}: {}`);
const withHeaders = (headers: string): string => withMembers('tags: []', `"200": { headers: { ${headers} } }, ${OWN}`);

/** Adds a member of the document. */
const add = (source: string, member: string): string => source.replace('paths:', `${member}\npaths:`);

const shapeOf = (source: string): unknown =>
  load(source).operations[0]?.replies.get(200)?.media.get('application/json')?.shape.properties.get('body');

test('the contract of the service is one that generated/ was made from', () => {
  expect(loadContract('packages/test-support/plants/openapi.yaml', sha256).operations.length).toBeGreaterThan(0);
  expect(load(THINGS).operations).toMatchObject([{ id: 'createThing', method: 'POST', path: '/things' }]);
});

test.each(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])('%s is an operation', (method) => {
  const source = withOperation(`{ operationId: a, responses: { ${OWN} } }`).replace('get:', `${method}:`);
  expect(load(source).operations).toMatchObject([{ method: method.toUpperCase() }]);
});

test('a contract that generated/ was not made from is refused', () => {
  const message =
    'packages/test-support/fixtures/notes.yaml is not the contract that generated/ was made from: run npm run generate';
  expect(() => loadContract('packages/test-support/fixtures/notes.yaml', sha256)).toThrow(message);
});

test('a contract that Git checked out with the line ends of Windows is the same contract', () => {
  const file = join(FOLDER, 'openapi.yaml');
  writeFileSync(file, readFileSync('packages/test-support/plants/openapi.yaml', 'utf8').replaceAll('\n', '\r\n'));
  const { source, identity } = loadContract(file, sha256);
  expect(identity.sha256).toBe(sha256);
  expect(source).toEqual(readFileSync('packages/test-support/plants/openapi.yaml'));
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

test('every error is told, each with its place', () => {
  const source = withOperation('{ responses: { default: {} } }\n    put: { responses: { all: {}, 4xx: {} } }');
  const places = ['put/responses/4xx the status', 'put/responses/all the status'];
  for (const place of places) expect(() => load(source)).toThrow(`contract.yaml#/paths/~1a/${place}`);
});

test.each([
  ['a schema that no operation can be served with', '{ properties: { a: { type: string, pattern: "[" } } }'],
  ['one whose error is below what is right', '{ allOf: [{ type: object }, { $ref: "#/components/schemas/A" }] }'],
])('%s is an error of each operation that refers to it', (_, schema) => {
  const reference = "{ content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }";
  const operation = `{ requestBody: ${reference}, responses: { ${OWN} } }`;
  const source = withOperation(`${operation}\n    put: ${operation}`, `components: { schemas: { A: ${schema} } }`);
  const { operations, errors } = readOperations(parseYaml(source, 'contract.yaml') as Document);
  expect(operations).toMatchObject(['getA', 'putA'].map((id) => ({ id, body: undefined })));
  expect(errors).toHaveLength(1);
});

test('of a document that is not OpenAPI, only what can be read is read', () => {
  const written = { paths: { '/a': { get: {} } }, components: { schemas: { A: null } } } as unknown as Document;
  const { document, resolved, operations } = readOperations(written);
  expect(document).toBe(resolved);
  expect(operations.map(({ id }) => id)).toEqual(['getA']);
});

test.each([
  ['{ $ref: "#/x-a" }', '#/x-a refers to itself for the same value'],
  ['{ properties: { b: { patternProperties: {} } } }', '/properties/b/patternProperties OpenAPI 3.0 has no'],
])('a form that cannot be checked is refused: %s', (schema, message) => {
  const source = withRequestBody(schema, '3.0.3', 'multipart/form-data');
  expect(() => load(add(source, 'x-a: { allOf: [{ $ref: "#/x-a" }] }'))).toThrow(message);
});

test('what stands for a schema and is none does not hide other errors', () => {
  const bodies =
    '{ content: { application/json: { schema: null } } }, default: { content: { a/b: { schema: { minLength: -1 } } } }';
  const source = withOperation(
    `{ responses: { 2xx: {}, '200': ${bodies}, ${OWN} } }`,
    'components: { schemas: { A: null } }',
  );
  expect(() => load(source)).toThrow(ContractError);
  const places = [
    'default/content/a~1b/schema/minLength minLength must',
    '200/content/application~1json/schema schema must',
    '2xx the status',
  ];
  for (const place of places) expect(() => load(source)).toThrow(`/paths/~1a/get/responses/${place}`);
  // No operation needs it.
  expect(() => load(source)).not.toThrow('components/schemas/A');
});

test('an error that is met twice is told once', () => {
  const body = '{ content: { application/json: { schema: { $ref: "#/x-a" } } } }';
  const source = withOperation(`{ operationId: a, responses: { "200": ${body}, "201": ${body}, ${OWN} } }`);
  expect(() => load(add(source, 'x-a: { prefixItems: [] }'))).toThrow(
    /^[^\n]+#\/x-a\/prefixItems OpenAPI 3.0 has no schema keyword prefixItems$/,
  );
});

function expectRefusal(source: string, message: string): void {
  expect(() => load(source)).toThrow(ContractError);
  expect(() => load(source)).toThrow(message);
}

const FORM = 'application/x-www-form-urlencoded';
const NEEDS_B = '[{ b: [] }]';
const IN_QUERY = '{ name: b, in: query, schema: {} }';
const PLAIN = '{ operationId: a, responses: {} }';
const withPath = (path: string, ...parameters: string[]): string => {
  const all = parameters.map((name) => `{ name: ${name}, in: path, required: true, schema: {} }`);
  return `  ${path}:\n    get: { parameters: [${all.join(', ')}], responses: {} }\n`;
};
const withPaths = (...paths: string[]): string => withOperation(PLAIN, paths.join(''), '/x');
const withSchemes = (security: string, schemes: string): string =>
  `${withMembers(`security: ${security}`)}components: { securitySchemes: { ${schemes} } }\n`;

test.each([
  ['the path parameter b is not declared: list it in parameters, with in: path', withPaths(withPath('/a/{b}'))],
  ['#/paths/~1{b}{c} /{b}{c} needs text between two parameters', withPaths(withPath('/{b}{c}', 'b', 'c'))],
  ['#/paths/a the path a must start with a slash', withPaths(withPath('a'))],
  [
    '#/paths/~1a~1{c} GET /a/{c} matches the same requests as GET /a/{b}',
    withPaths(withPath('/a/{b}', 'b'), withPath('/a/{c}', 'c')),
  ],
  [
    'GET /f/{b} matches the same requests as GET /%66/{c}',
    withPaths(withPath('/f/{b}', 'b'), withPath('/%66/{c}', 'c')),
  ],
  ['#/paths/~1foo~1{b /foo/{b has an unmatched brace', withPaths(withPath('/foo/{b'))],
  ['/responses/200/$ref $ref must be a string', withMembers('tags: []', "'200': { $ref: 1 }")],
  ['#/paths/~1x/$ref #/b does not exist', withPaths('    $ref: "#/b"')],
  ['#/paths/~1x/$ref get is also in #/paths/~1b: remove', withPaths('    $ref: "#/paths/~1b"\n', withPath('/b'))],
  ['/parameters the query parameter b is listed twice', withPaths(`    parameters: [${IN_QUERY}, ${IN_QUERY}]`)],
  ['/headers/x-a the header x-a is listed twice', withHeaders('X-A: { schema: {} }, x-a: { schema: {} }')],
  ['X Y is not a valid name for a header', withHeaders('"X Y": { schema: {} }')],
  [
    'the header Keep-Alive belongs to the connection, not to the response: remove it',
    withHeaders('Keep-Alive: { schema: {} }'),
  ],
  ['the status 4xx is not valid: write one from 200 to 599, 2XX to 5XX, or default', withStatus('4xx')],
  ['the status 2000 is not valid', withStatus('"2000"')],
  ['the status a200 is not valid', withStatus('a200')],
  ['the status all is not valid', withStatus('all')],
  [
    'deepObject needs an object: write form',
    withRequestBody('{ properties: { b: { type: array } } }, encoding: { b: { style: deepObject } }', '3.0.3', FORM),
  ],
  ['a body needs a media type', withMembers('requestBody: { content: {} }')],
  ['the security scheme toString is not defined', withMembers('security: [{ toString: [] }]')],
  ['securitySchemes/b/type is not a supported security scheme', withSchemes(NEEDS_B, 'b: { type: saml }')],
  [
    'securitySchemes/b/scheme an http security scheme needs a name',
    withSchemes(NEEDS_B, 'b: { type: http, scheme: "a b" }'),
  ],
  ['an apiKey must be in header, query or cookie', withSchemes(NEEDS_B, 'b: { type: apiKey, name: k, in: body }')],
  ['an apiKey needs a name', withSchemes(NEEDS_B, 'b: { type: apiKey, in: query }')],
])('a contract is refused: %s', (message, source) => {
  expectRefusal(source, message);
});

test('query parameters whose names differ by case are two', () => {
  const upper = IN_QUERY.replace('name: b', 'name: B');
  expect(() => load(withPaths(`    parameters: [${IN_QUERY}, ${upper}]`))).not.toThrow();
});

const UNTOLD = 'as text, arrays, objects and scalars cannot be told apart';
const NESTED = 'a style cannot express an array or object inside this value';

test.each([
  ['the header parameter B is listed twice', 'schema: {} }, { name: B, in: header, schema: {}', 'header'],
  ['the path parameter b must have required: true', 'schema: {}', 'path'],
  ['a parameter cannot be in body', 'schema: {}', 'body'],
  [
    'matrix is not a style of query: write form, spaceDelimited, pipeDelimited, deepObject',
    'style: matrix, schema: {}',
  ],
  [UNTOLD, 'schema: { oneOf: [{ type: array }, { type: string }] }', 'header'],
  [UNTOLD, 'schema: { oneOf: [{ type: array, items: { type: number } }, { type: string }] }', 'header'],
  [UNTOLD, 'explode: false, schema: { type: [array, string], items: { type: string } }'],
  ['as text, the string true cannot be told from a boolean', 'schema: { items: { enum: [true, "true"] } }'],
  [
    'the string 1 cannot be told from a number',
    'schema: { properties: { c: { anyOf: [{ enum: [1] }, { enum: ["1"] }] } } }',
  ],
  [NESTED, 'style: pipeDelimited, explode: false, schema: { type: array, items: { type: array } }'],
  [NESTED, 'style: deepObject, schema: { properties: { c: { type: array } } }'],
  ['pipeDelimited needs an array', 'style: pipeDelimited, schema: { type: string }'],
  ['spaceDelimited needs an array', 'style: spaceDelimited, explode: true, schema: { type: object }'],
  [
    'only their names distinguish the members of an exploded object from other cookies: list them all in properties',
    'schema: { type: object }',
    'cookie',
  ],
  [
    'allowEmptyValue this parameter is required, but its value may be empty, which counts as missing: remove required or allowEmptyValue',
    'required: true, allowEmptyValue: true, schema: { type: integer }',
  ],
  ['needs a schema, or content of application/json', 'content: { application/json: {}, text/plain: {} }'],
  ['or of text/plain with a scalar schema', 'content: { text/plain: { schema: { type: object } } }'],
])('a parameter is refused: %s: { %s }', (message, parameter, place = 'query') => {
  expectRefusal(withMembers(`parameters: [{ name: b, in: ${place}, ${parameter} }]`), message);
});

const INT64 = 'type: integer, format: int64';
const DIFFERS = 'a number is an int64 in one alternative of anyOf, but not in another';

test.each([
  [DIFFERS, `{ properties: { a: { items: { ${INT64} } } } }, { additionalProperties: { items: { type: integer } } }`],
  [DIFFERS, `{ prefixItems: [{ ${INT64} }] }, { items: { type: number } }`],
  [DIFFERS, `{ patternProperties: { a: { ${INT64} } } }, { patternProperties: { a: { type: number } } }`],
  [DIFFERS, `{ patternProperties: { a: { ${INT64} } } }, { additionalProperties: { type: number } }`],
  [DIFFERS, '{ properties: { a: { format: int64 } } }, { properties: { a: { type: number } } }'],
])('a request body is refused: %s: %s', (message, alternatives) => {
  expectRefusal(withRequestBody(`{ anyOf: [${alternatives}] }`, '3.1.0'), message);
});

test.each([
  ['#/x-null does not exist', '{ $ref: "#/x-null" }'],
  ['#/info/__proto__ does not exist', '{ $ref: "#/info/__proto__" }'],
  ['"b.yaml" refers to another file', '{ $ref: "b.yaml" }'],
  ['#/x-a refers to itself', '{ $ref: "#/x-a" }'],
  ['/items/const OpenAPI 3.0 has no schema keyword const', '{ items: { const: 1 } }'],
])('a schema is refused: %s: %s', (message, schema) => {
  expectRefusal(add(withBody(schema), 'x-null: null\nx-a: { $ref: "#/x-a" }'), message);
});

const COMPONENTS = `components:
  examples: { E: { value: 1 } }
  headers: { H: { schema: {} } }
  parameters: { P: { name: p, in: query, schema: {} } }
  requestBodies: { B: { content: { application/json: {} } } }
  schemas: { S: { properties: { a: { x-a: {} } }, allOf: [{}] }, x-s: {} }
`;

test.each([
  ['components/parameters/P', '{ $ref: "#/components/parameters/P" }', '3.0.3'],
  ['components/parameters/P', '{ $ref: "#/components/parameters/P" }'],
  ['components/headers/H', '{ items: { $ref: "#/components/headers/H" } }'],
  ['components/examples/E', '{ $ref: "#/components/examples/E" }'],
  ['components/requestBodies/B', '{ $ref: "#/components/requestBodies/B" }'],
  ['paths/~1a', '{ $ref: "#/paths/~1a" }'],
  ['components/schemas', '{ $ref: "#/components/schemas" }'],
  ['components/schemas/S/properties', '{ $ref: "#/components/schemas/S/properties" }'],
  ['components/schemas/S/allOf', '{ $ref: "#/components/schemas/S/allOf" }'],
])('#/%s is not a schema: %s', (target, schema, version = '3.1.0') => {
  expectRefusal(add(withRequestBody(schema, version), COMPONENTS), `/$ref #/${target} is not a Schema Object`);
});

test.each([
  [
    '/parameters/0/$ref #/components/headers/H is not a Parameter Object',
    'parameters: [{ $ref: "#/components/headers/H" }]',
  ],
  [
    '/requestBody/$ref #/components/schemas/S is not a Request Body Object',
    'requestBody: { $ref: "#/components/schemas/S" }',
  ],
])('a reference to another kind of object is refused: %s', (message, members) => {
  expectRefusal(add(withMembers(members), COMPONENTS), message);
});

test.each(['#/x-s', '#/definitions/S', '#/components/schemas/S/properties/a/x-a', '#/components/schemas/x-s'])(
  '%s may be a schema',
  (target) => {
    const outside = `x-s: {}\ndefinitions: { S: {} }\n${COMPONENTS}`;
    expect(() => load(add(withBody(`{ $ref: "${target}" }`, '3.1.0'), outside))).not.toThrow();
  },
);

test.each([
  ['/schema/patternProperties Invalid regular expression: /(/: ', '{ patternProperties: { "(": {} } }'],
  [
    '/else an int64 that only else declares is not supported',
    `{ if: {}, else: { properties: { a: { patternProperties: { b: { ${INT64} } } } } } }`,
  ],
  [
    '/dependentSchemas an int64 that only dependentSchemas declares is not supported',
    `{ dependentSchemas: { a: { properties: { b: { items: { ${INT64} } } } } } }`,
  ],
  [
    '#/x-a refers to itself for the same value, through a keyword such as allOf or not',
    '{ dependentSchemas: { a: { not: { $ref: "#/x-a" } } } }',
  ],
])('a schema of OpenAPI 3.1 is refused: %s: %s', (message, schema) => {
  expectRefusal(add(withBody(schema, '3.1.0'), `x-a: ${schema}`), message);
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
  '{ not: { type: string }, additionalProperties: false }',
])('a schema that can be enforced is loaded: %s', (schema) => {
  const tree = 'x-tree: { properties: { id: { type: integer, format: int64 }, below: { $ref: "#/x-tree" } } }';
  expect(load(add(withBody(schema), tree)).operations).toHaveLength(1);
});

test.each([
  ['minimum', "'1'", 'a number'],
  ['exclusiveMinimum', '1', 'true or false'],
  ['multipleOf', '0', 'a number greater than 0'],
  ['multipleOf', "'1'", 'a number greater than 0'],
  ['minLength', '-1', 'a whole number of at least 0'],
  ['maxItems', '1.5', 'a whole number of at least 0'],
  ['uniqueItems', "'yes'", 'true or false'],
  ['type', 'strin', 'a type, or a list of types'],
  ['type', '[]', 'a type, or a list of types'],
  ['type', "'null'", 'a type, or a list of types'],
  ['format', '1', 'a string'],
  ['enum', '{}', 'a list of values'],
  ['required', 'true', 'a list of names'],
  ['required', '[1]', 'a list of names'],
  ['items', '[{}]', 'a schema'],
  ['not', 'null', 'a schema'],
  ['allOf', '{}', 'a list of schemas'],
  ['oneOf', '[]', 'a list of at least one schema'],
  ['properties', '{ a: null }', 'an object whose values are schemas'],
  ['properties', '[]', 'an object whose values are schemas'],
  ['discriminator', 'kind', 'an object with a propertyName'],
  ['exclusiveMinimum', 'true', 'a number', '3.1.0'],
  ['dependentRequired', '{ a: b }', 'an object whose values are lists of names', '3.1.0'],
  ['dependentRequired', '[]', 'an object whose values are lists of names', '3.1.0'],
])(
  'a keyword whose value is another one is an error of one line: %s: %s',
  (keyword, value, what, version = '3.0.3') => {
    const source = withBody(`{ ${keyword}: ${value} }`, version);
    expect(() => load(source)).toThrow(new RegExp(`^[^\\n]+/schema/${keyword} ${keyword} must be ${what}$`));
  },
);

test('a reference that is not a JSON pointer is an error of one line', () => {
  expect(() => load(withBody('{ $ref: "#/paths/%zz" }'))).toThrow(
    /^[^\n]+\/schema\/\$ref #\/paths\/%zz is not a valid reference: write a literal % as %25$/,
  );
});

test('what an extension has is no schema', () => {
  expect(load(add(withBody('{}'), 'x-a: { schema: { type: 1 } }')).operations).toHaveLength(1);
  expect(() => load(withHeaders('x-a: { schema: { type: 1 } }'))).toThrow('type must be a type');
});

test('a reference may have escapes', () => {
  const source = add(withBody('{ $ref: "#/x~1a/b~0%20c" }'), `x/a: { "b~ c": { ${INT64} } }`);
  expect(shapeOf(source)).toMatchObject({ isInt64: true });
});

test('alternatives that hold themselves are compared, and end', () => {
  const node = (name: string, id: string): string =>
    `${name}: { type: object, properties: { id: ${id}, next: { $ref: '#/components/schemas/${name}' } } }`;
  const withNodes = (other: string): string =>
    `${withRequestBody("{ anyOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }")}
components: { schemas: { ${node('A', '{ type: integer, format: int64 }')}, ${node('B', other)} } }
`;
  expect(load(withNodes('{ type: integer, format: int64 }')).operations).toHaveLength(1);
  expect(() => load(withNodes('{ type: number }'))).toThrow('but not in another: give both the format int64');
});
