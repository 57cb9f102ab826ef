import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyseServable } from '../src/generate/generate';

type Node = Readonly<Record<string, unknown>>;

const DONE = { 200: { description: 'Done.' } };

function ref(name: string, kind = 'schemas'): Node {
  return { $ref: `#/components/${kind}/${name}` };
}

/** An operation that gets a body of one media type. */
function gets(type: string, schema: unknown = ref('S'), more: Node = {}): Node {
  return { requestBody: { content: { [type]: { schema, ...more } } } };
}

/** An operation that replies with JSON. */
function replies(schema: unknown = ref('S')): Node {
  return { responses: { 200: { description: 'Done.', content: { 'application/json': { schema } } } } };
}

function takes(...parameters: readonly Node[]): Node {
  return { parameters };
}

function schemas(S: unknown, more: Node = {}): Node {
  return { schemas: { S, ...more } };
}

function isSecuredBy(...security: readonly Node[]): Node {
  return { security };
}

function inQuery(name: string, schema: unknown, more: Node = {}): Node {
  return { name, in: 'query', schema, ...more };
}

const JSON_TYPE = 'application/json';
const FORM = 'multipart/form-data';
const FIELDS = 'application/x-www-form-urlencoded';
const INT64 = { type: 'integer', format: 'int64' };
const LISTS = { type: 'object', properties: { a: { type: ['array', 'integer'], items: { type: 'string' } } } };
const PARTS = { type: 'object', properties: { a: { type: 'object' } } };
const CLEAR = { type: 'object', properties: { a: { enum: [1, '1'] } } };
const ANY_NAMES = { type: 'object', additionalProperties: { type: 'string' } };
const READ_ONLY = { type: 'object', properties: { id: { type: 'string', readOnly: true } } };
const WRITE_ONLY = { type: 'object', properties: { key: { type: 'string', writeOnly: true } } };
const SCHEME = {
  securitySchemes: { a: { type: 'http', scheme: 'bearer' }, k: { type: 'apiKey', in: 'query', name: 'k' } },
};
const QUERYSTRING = { name: 'q', in: 'querystring', content: { [JSON_TYPE]: { schema: {} } } };

/** The XML of a body, of which the kit reads no schema. */
const XML = gets('application/xml');
/** It has the header that the kit writes itself, whatever it is. */
const HAS_TYPE = { responses: { 200: { description: 'Done.', headers: { 'Content-Type': ref('H', 'headers') } } } };
const HAS_HEADER = { responses: { 200: { description: 'Done.', headers: { 'X-H': ref('H', 'headers') } } } };

interface Row {
  /** The function that finds it. */
  readonly finder: string;
  readonly message: string;
  /** What the components are. */
  readonly shared: Node;
  /** The operation that has the error. */
  readonly wrong: Node;
  /** An operation with the same component that has not. */
  readonly right: Node;
  readonly version?: string;
  /** Of the path of the operation with the error. */
  readonly path?: string;
}

// Each error that a component can have by its use.
const ROWS: readonly Row[] = [
  {
    finder: 'toPart',
    message: 'a part of a form does not tell an array of one from a single value here',
    ...{ shared: schemas(LISTS), wrong: gets(FORM), right: gets(JSON_TYPE) },
  },
  {
    finder: 'toPart',
    message: 'a part of a form does not tell an array of one from a single value here',
    ...{ shared: schemas(LISTS), wrong: gets(FIELDS), right: replies() },
  },
  {
    finder: 'toPartKinds',
    message: 'its encoding has the type image/png, but an object can only be sent as JSON',
    shared: schemas(PARTS),
    wrong: gets(FORM, ref('S'), { encoding: { a: { contentType: 'image/png' } } }),
    right: gets(FORM),
  },
  {
    finder: 'readTypes',
    message: 'x is not a media type',
    shared: { mediaTypes: { M: { schema: PARTS, encoding: { a: { contentType: 'x' } } } } },
    wrong: { requestBody: { content: { [FORM]: ref('M', 'mediaTypes') } } },
    right: { requestBody: { content: { [JSON_TYPE]: ref('M', 'mediaTypes') } } },
    version: '3.2.0',
  },
  {
    finder: 'assertClearTexts',
    message: 'as text, the string 1 cannot be told from a number',
    ...{ shared: schemas(CLEAR), wrong: gets(FORM), right: gets(JSON_TYPE) },
  },
  {
    finder: 'toTextForm',
    message: 'as text, arrays, objects and scalars cannot be told apart',
    shared: schemas({ type: ['object', 'string'] }),
    ...{ wrong: takes(inQuery('q', ref('S'))), right: gets(JSON_TYPE) },
  },
  {
    finder: 'readNotation',
    message: 'deepObject needs an object: write form',
    shared: schemas({ type: 'string' }),
    wrong: takes(inQuery('q', ref('S'), { style: 'deepObject' })),
    right: takes(inQuery('q', ref('S'))),
  },
  {
    finder: 'readNotation',
    message: 'needs a schema, or content of application/json',
    ...{ shared: { headers: { H: { description: 'Neither.' } } }, wrong: HAS_HEADER, right: HAS_TYPE },
  },
  {
    finder: 'readNotation',
    message: 'matrix is not a style of header: write simple',
    shared: { headers: { H: { schema: {}, style: 'matrix' } } },
    ...{ wrong: HAS_HEADER, right: HAS_TYPE },
  },
  {
    finder: 'readReplyHeaders',
    message: 'a Set-Cookie header has one cookie or a list of them',
    shared: { headers: { H: { schema: { type: 'object', properties: { a: {} } } } } },
    wrong: { responses: { 200: { description: 'Done.', headers: { 'Set-Cookie': ref('H', 'headers') } } } },
    right: HAS_HEADER,
  },
  {
    finder: 'readParameters',
    message: 'p and q would both take all other names in the query',
    shared: { parameters: { P: inQuery('p', ref('S')), Q: inQuery('q', ref('S')) }, ...schemas(ANY_NAMES) },
    wrong: takes(ref('P', 'parameters'), ref('Q', 'parameters')),
    right: takes(ref('Q', 'parameters')),
  },
  {
    finder: 'readEach',
    message: 'the query parameter p is listed twice',
    shared: { parameters: { P: inQuery('p', { type: 'string' }) } },
    wrong: takes(ref('P', 'parameters'), ref('P', 'parameters')),
    right: takes(ref('P', 'parameters')),
  },
  {
    finder: 'assertPathParameters',
    message: 'the path parameter p is not in the path',
    shared: { parameters: { P: { name: 'p', in: 'path', required: true, schema: {} } } },
    wrong: takes(ref('P', 'parameters')),
    right: takes(ref('P', 'parameters')),
    path: '/{p}',
  },
  {
    finder: 'readQuerystring',
    message: 'the query is one value, so that p cannot be in it, too',
    shared: { parameters: { Q: QUERYSTRING } },
    wrong: takes(ref('Q', 'parameters'), inQuery('p', {})),
    right: takes(ref('Q', 'parameters')),
    version: '3.2.0',
  },
  {
    finder: 'readQuerystring',
    message: 'only one parameter may be in querystring',
    shared: { parameters: { Q: QUERYSTRING, R: { ...QUERYSTRING, name: 'r' } } },
    wrong: takes(ref('Q', 'parameters'), ref('R', 'parameters')),
    right: takes(ref('R', 'parameters')),
    version: '3.2.0',
  },
  {
    finder: 'readQuerystring',
    message: 'so that it has no place for the key of k',
    shared: { parameters: { Q: QUERYSTRING }, ...SCHEME },
    wrong: { ...takes(ref('Q', 'parameters')), ...isSecuredBy({ k: [] }) },
    right: takes(ref('Q', 'parameters')),
    version: '3.2.0',
  },
  {
    finder: 'readSequence',
    message: 'application/json has no items: use itemSchema with application/jsonl',
    shared: { mediaTypes: { M: { itemSchema: {} } } },
    wrong: { requestBody: { content: { [JSON_TYPE]: ref('M', 'mediaTypes') } } },
    right: { requestBody: { content: { 'application/jsonl': ref('M', 'mediaTypes') } } },
    version: '3.2.0',
  },
  {
    finder: 'readEvents',
    message: 'the data of an event may be text or JSON',
    shared: {
      mediaTypes: {
        M: {
          itemSchema: {
            oneOf: [
              { properties: { data: { type: 'string', contentMediaType: JSON_TYPE, contentSchema: {} } } },
              { properties: { data: { type: 'string' } } },
            ],
          },
        },
      },
    },
    wrong: { requestBody: { content: { 'text/event-stream': ref('M', 'mediaTypes') } } },
    right: { requestBody: { content: { 'application/jsonl': ref('M', 'mediaTypes') } } },
    version: '3.2.0',
  },
  {
    finder: 'assertNamedParts',
    message: 'itemEncoding is not supported in a request',
    shared: { mediaTypes: { M: { schema: {}, itemEncoding: {} } } },
    wrong: { requestBody: { content: { [FORM]: ref('M', 'mediaTypes') } } },
    right: { responses: { 200: { description: 'Done.', content: { 'multipart/mixed': ref('M', 'mediaTypes') } } } },
    version: '3.2.0',
  },
  {
    finder: 'assertInt64sCertain',
    message: 'a number is an int64 in one alternative of oneOf, but not in another',
    shared: schemas({
      oneOf: [
        { type: 'object', properties: { a: INT64 } },
        { type: 'object', properties: { a: { type: 'number' } } },
      ],
    }),
    ...{ wrong: gets(JSON_TYPE), right: replies() },
  },
  {
    finder: 'assertInt64sCertain',
    message: 'an int64 that only then declares is not supported',
    shared: schemas({ type: 'object', if: { required: ['b'] }, then: { properties: { a: INT64 } } }),
    ...{ wrong: replies(), right: XML },
  },
  {
    finder: 'assertConsistentModes',
    message: 'readOnly is not supported inside patternProperties or prefixItems',
    shared: schemas({ type: 'object', patternProperties: { '^a': READ_ONLY } }),
    ...{ wrong: gets(JSON_TYPE), right: replies() },
  },
  {
    finder: 'assertAlternativesConsistent',
    message: 'key is writeOnly in one alternative of anyOf but not in another',
    shared: schemas({ anyOf: [WRITE_ONLY, { type: 'object', properties: { key: { type: 'string' } } }] }),
    ...{ wrong: replies(), right: gets(JSON_TYPE) },
  },
  {
    finder: 'assertDefault',
    message: 'the default does not match its schema',
    shared: schemas({ type: 'integer', default: 'x' }),
    ...{ wrong: gets(JSON_TYPE), right: replies(), version: '3.0.3' },
  },
  {
    finder: 'assertDialect',
    message: 'is not supported, because its target depends on the schemas around it: write $ref',
    ...{ shared: schemas({ $dynamicRef: '#a' }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertDialect',
    message: 'names a dialect that the kit does not know',
    ...{ shared: schemas({ $schema: 'https://example.com' }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertMemberCount',
    message: 'has 1,001 members, but at most 1,000 are supported',
    shared: schemas({ oneOf: Array.from({ length: 1001 }, (_, index) => ({ const: index })) }),
    ...{ wrong: replies(), right: XML },
  },
  {
    finder: 'assertSupportedSchema',
    message: 'OpenAPI 3.0 has no schema keyword minimun',
    ...{ shared: schemas({ minimun: 1 }), wrong: gets(JSON_TYPE), right: XML, version: '3.0.3' },
  },
  {
    finder: 'assertSupportedSchema',
    message: 'a property with an empty name cannot be required',
    ...{ shared: schemas({ required: [''] }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertSupportedSchema',
    message: 'a schema cannot be both readOnly and writeOnly',
    ...{
      shared: schemas({ properties: { a: { readOnly: true, writeOnly: true } } }),
      wrong: gets(JSON_TYPE),
      right: XML,
    },
  },
  {
    finder: 'assertRegExp',
    message: 'Invalid regular expression',
    ...{ shared: schemas({ pattern: '[' }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertRegExp',
    message: 'in "\\\\Aa",',
    ...{ shared: schemas({ pattern: '\\Aa' }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertEnforceableName',
    message: 'the name __proto__ cannot be checked',
    ...{ shared: schemas({ required: ['__proto__'] }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'assertEnforceableName',
    message: 'the default of constructor would never be filled in',
    ...{ shared: schemas({ properties: { constructor: { default: 1 } } }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'collectInPlaceSchemas',
    message: 'refers to itself for the same value',
    ...{ shared: schemas({ type: 'object', allOf: [ref('S')] }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'followReference',
    message: '#/components/schemas/Lost does not exist',
    ...{ shared: schemas({ type: 'object', properties: { a: ref('Lost') } }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'followReference',
    message: '#/components/parameters/P is not a Schema Object',
    shared: { parameters: { P: inQuery('p', { type: 'string' }, { required: true }) } },
    ...{ wrong: gets(JSON_TYPE, ref('P', 'parameters')), right: takes(ref('P', 'parameters')) },
  },
  {
    finder: 'followReference',
    message: '#/components/schemas/S is not a Response Object',
    ...{ shared: schemas({}), wrong: { responses: { 200: ref('S') } }, right: gets(JSON_TYPE) },
  },
  {
    finder: 'resolveReference',
    message: 'refers to itself',
    ...{ shared: schemas({ items: ref('T') }, { T: ref('T') }), wrong: gets(JSON_TYPE), right: XML },
  },
  {
    finder: 'readCredentials',
    message: 'the service sees no client certificate',
    shared: { securitySchemes: { ...SCHEME.securitySchemes, c: { type: 'mutualTLS' } } },
    ...{ wrong: isSecuredBy({ c: [] }), right: isSecuredBy({ c: [] }, { a: [] }) },
  },
];

// The errors that an operation has itself, or that each operation with the component has.
const OF_ALL = [
  ...['createCredentialsReader', 'createHttpReader', 'createKeyReader', 'findScheme', 'findLostMappings'],
  ...['findMalformed', 'findOptionalTags', 'parseReplyKey', 'readBodyDeclaration', 'readBodyLimit', 'readMediaTypes'],
  ...['readOperation', 'readParameter', 'resolvePathItem', 'removeMisplacedFields'],
  // What has no effect is advice.
  ...['findUnused', 'findUnusedEncodings'],
];

test.each(ROWS)(
  'what $finder finds leaves out the operation that has it, and no other one with the same component: $message',
  ({ message, shared, wrong, right, version = '3.1.0', path = '/right' }) => {
    const create = (operations: Readonly<Record<string, Node>>): string => {
      const paths = Object.entries(operations).map(([id, parts]) => [
        id === 'right' ? path : '/wrong',
        { post: { operationId: id, responses: DONE, security: [], ...parts } },
      ]);
      const info = { title: 'Shared', version: '1.0.0' };
      return JSON.stringify({ openapi: version, info, paths: Object.fromEntries(paths) as Node, components: shared });
    };
    expect(analyseServable(create({ right }), 'a.yaml').unserved).toEqual([]);
    const source = create({ wrong, right });
    expect(() => analyseServable(source, 'a.yaml')).toThrow(message);
    const { unserved, operations } = analyseServable(source, 'a.yaml', true);
    expect([unserved, operations.map(({ id }) => id)]).toEqual([['POST /wrong'], ['right']]);
  },
);

test('each error in a contract is among those above', () => {
  const folder = 'packages/contract/src';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /^\d.*\.ts$/.test(name));
  const finders = files.flatMap((name) => {
    const functions = readFileSync(join(folder, name), 'utf8').split(/^(?:export )?function\*? /m);
    // A function begins with its name; an example in the comment before the next one ends it.
    const code = functions.map((text) => text.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, ''));
    return code.filter((text) => text.includes('new DocumentError(')).map((text) => /^\w+/.exec(text)?.[0]);
  });
  expect([...new Set(finders)].sort()).toEqual([...new Set([...OF_ALL, ...ROWS.map(({ finder }) => finder)])].sort());
});
