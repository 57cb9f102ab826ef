import { readFileSync } from 'node:fs';
import { findContractBreaks } from '../src/check-contract/contract-breaks';
import type { Document } from '../../server/src/contract/document/document';
import { parseYaml } from '../../server/src/contract/document/parse-yaml';
import { patch } from '../../../tests/support/patch';

type Changes = Readonly<Record<string, unknown>>;

const POST = '/paths/~1plants/post';
const GET = '/paths/~1plants/get';
const SCHEMAS = '/components/schemas';
const OWN = `${SCHEMAS}/NewPlant/allOf/1`;
const CATALOGUE = `${SCHEMAS}/Error/properties/error/x-error-catalogue`;
const REQUEST = `#${POST}/requestBody/content/application~1json/schema`;
const REPLY = `#${POST}/responses/200/content/application~1json/schema`;
const LIST = `${GET}/responses/200/content/application~1json/schema`;
const REFUSED = 'a request that was right may be refused';
const UNTOLD = 'a reply may be what no client was told of';
const UNKNOWN = 'cannot tell what this changes';

// A released contract, which stays as it is.
const openapi = parseYaml(readFileSync('contracts/1.0.0.yaml', 'utf8'), 'openapi.yaml') as Document;
const { Plant, NewPlant, Error: ErrorSchema } = (openapi.components as { schemas: Record<string, Changes> }).schemas;
const { responses } = openapi.components as { responses?: Record<string, Changes> };

// The contract, with a few things that it does not have.
const before = patch(openapi, {
  [GET]: {
    operationId: 'listPlants',
    parameters: [{ name: 'kind', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } }],
    responses: {
      200: {
        description: 'The plants.',
        headers: { 'X-Count': { required: true, schema: { type: 'integer' } } },
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['kind'],
              properties: {
                kind: { type: 'string', enum: ['a', 'b'] },
                size: { type: 'integer', minimum: 0, maximum: 10 },
                next: { $ref: `#${SCHEMAS}/Node` },
              },
            },
          },
        },
      },
    },
  },
  [`${OWN}/required`]: ['id', 'kind'],
  [`${OWN}/properties/kind`]: { type: 'string', enum: ['a', 'b'] },
  [`${OWN}/properties/note`]: { type: 'string', minLength: 1, maxLength: 10 },
  [`${OWN}/properties/size`]: { type: 'number', nullable: true },
  [`${OWN}/properties/closed`]: { type: 'object', properties: { a: {} }, additionalProperties: false },
  [`${OWN}/properties/open`]: { type: 'object' },
  [`${OWN}/properties/list`]: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
  [`${SCHEMAS}/Node`]: { properties: { value: { type: 'integer' }, next: { $ref: `#${SCHEMAS}/Node` } } },
  [`${POST}/requestBody/content/text~1csv`]: { schema: { type: 'string' } },
  '/components/securitySchemes/key': { type: 'apiKey', in: 'header', name: 'X-Key' },
});

function breaks(changes: Changes, base = before): string[] {
  return findContractBreaks(base, patch(base, changes)).map(({ pointer, message }) => `${pointer} ${message}`);
}

test.each<[string, Changes, string[]]>([
  ['an operation is gone', { [GET]: undefined }, [`#${GET} the operation is gone`]],
  [
    'a path has another name',
    { '/paths/~1plants': undefined, '/paths/~1plant': openapi.paths['/plants'] },
    ['#/paths/~1plants the path is gone'],
  ],
  [
    'a request property is new and required',
    { [`${OWN}/properties/colour`]: { type: 'string' }, [`${OWN}/required/-`]: 'colour' },
    [`${REQUEST}/required colour is optional -> colour is required; ${REFUSED}`],
  ],
  [
    'a request property becomes required',
    { [`${OWN}/required/-`]: 'note' },
    [`${REQUEST}/required note is optional -> note is required; ${REFUSED}`],
  ],
  ['a request property is gone', { [`${OWN}/properties/note`]: undefined }, [`${REQUEST}/properties/note is gone`]],
  [
    'a request enum loses a value',
    { [`${OWN}/properties/kind/enum`]: ['a'] },
    [`${REQUEST}/properties/kind/enum "a", "b" -> "a"; ${REFUSED}`],
  ],
  [
    'a request bound is tightened',
    { [`${OWN}/properties/note/maxLength`]: 5 },
    [`${REQUEST}/properties/note/maxLength 10 -> 5; ${REFUSED}`],
  ],
  [
    'a request pattern is new',
    { [`${OWN}/properties/note/pattern`]: '^a' },
    [`${REQUEST}/properties/note/pattern any -> "^a"; ${REFUSED}`],
  ],
  [
    'a request type is narrowed',
    { [`${OWN}/properties/size/type`]: 'integer' },
    [`${REQUEST}/properties/size/type number, null -> integer, null; ${REFUSED}`],
  ],
  [
    'null is refused',
    { [`${OWN}/properties/size/nullable`]: undefined },
    [`${REQUEST}/properties/size/type number, null -> number; ${REFUSED}`],
  ],
  [
    'a part of an allOf is closed',
    { [`${OWN}/additionalProperties`]: false },
    [
      expect.stringMatching(
        `^${REQUEST}/additionalProperties in parts none -> .*"additionalProperties":false.*; ${UNKNOWN}$`,
      ) as string,
    ],
  ],
  [
    'an object is closed',
    { [`${OWN}/properties/open/additionalProperties`]: false },
    [`${REQUEST}/properties/open/additionalProperties/not any -> {}; ${REFUSED}`],
  ],
  [
    'an allOf gets a part that narrows',
    { [`${SCHEMAS}/NewPlant/allOf/-`]: { properties: { name: { maxLength: 3 } } } },
    [`${REQUEST}/properties/name/maxLength none -> 3; ${REFUSED}`],
  ],
  [
    'a oneOf has other parts',
    { [`${OWN}/properties/list/items/oneOf`]: [{ type: 'string' }] },
    [
      `${REQUEST}/properties/list/items/oneOf [{"type":"string"},{"type":"integer"}] -> [{"type":"string"}]; ${REFUSED}`,
    ],
  ],
  [
    'a media type of the request is gone',
    { [`${POST}/requestBody/content/text~1csv`]: undefined },
    [`#${POST}/requestBody/content/text~1csv the media type is gone`],
  ],
  ['there is no body any more', { [`${POST}/requestBody`]: undefined }, [`#${POST}/requestBody the body is gone`]],
  [
    'a body is new and required',
    { [`${GET}/requestBody`]: { required: true, content: { 'application/json': {} } } },
    [`#${GET}/requestBody the body is required now`],
  ],
  [
    'a query parameter is new and required',
    { [`${GET}/parameters/-`]: { name: 'q', in: 'query', required: true, schema: { type: 'string' } } },
    [`#${GET}/parameters/query q the parameter is required now`],
  ],
  ['a parameter is gone', { [`${GET}/parameters`]: [] }, [`#${GET}/parameters/query kind the parameter is gone`]],
  [
    'a parameter is narrowed and written otherwise',
    { [`${GET}/parameters/0/schema/enum`]: ['a'], [`${GET}/parameters/0/style`]: 'pipeDelimited' },
    [
      `#${GET}/parameters/query kind/schema/enum "a", "b" -> "a"; ${REFUSED}`,
      `#${GET}/parameters/query kind/style none -> "pipeDelimited"; ${UNKNOWN}`,
    ],
  ],
  [
    'another credential is needed too',
    { '/security': [{ bearerAuth: [], key: [] }] },
    [
      `#${GET}/security scheme "bearer", type "http" is no longer enough`,
      `#${POST}/security scheme "bearer", type "http" is no longer enough`,
    ],
  ],
  [
    'the scheme is another one',
    { '/components/securitySchemes/bearerAuth/scheme': 'basic', [`${GET}/security`]: [] },
    [`#${POST}/security scheme "bearer", type "http" is no longer enough`],
  ],
  ['a status is gone', { [`${POST}/responses/503`]: undefined }, [`#${POST}/responses/503 the status is gone`]],
  [
    'a success is new',
    { [`${POST}/responses/202`]: { description: 'Later.' } },
    [`#${POST}/responses/202 the status is new`],
  ],
  ['a reply property is gone', { [`${LIST}/properties/size`]: undefined }, [`#${LIST}/properties/size is gone`]],
  [
    'a reply property becomes optional',
    { [`${LIST}/required`]: undefined },
    [`#${LIST}/required kind is required -> kind is optional; ${UNTOLD}`],
  ],
  [
    'a reply enum gets a value',
    { [`${LIST}/properties/kind/enum/-`]: 'c' },
    [`#${LIST}/properties/kind/enum "a", "b" -> "a", "b", "c"; ${UNTOLD}`],
  ],
  [
    'a reply type is widened, a bound is lifted',
    { [`${LIST}/properties/size`]: { type: 'number', minimum: 0 } },
    [
      `#${LIST}/properties/size/type integer -> number; ${UNTOLD}`,
      `#${LIST}/properties/size/maximum 10 -> none; ${UNTOLD}`,
    ],
  ],
  [
    'a reply may be null',
    { [`${LIST}/properties/kind/nullable`]: true },
    [`#${LIST}/properties/kind/type string -> string, null; ${UNTOLD}`],
  ],
  [
    'a schema that refers to itself is widened',
    { [`${SCHEMAS}/Node/properties/value/type`]: 'number' },
    [`#${LIST}/properties/next/properties/value/type integer -> number; ${UNTOLD}`],
  ],
  [
    'a reply may have another media type',
    { [`${GET}/responses/200/content/text~1csv`]: {} },
    [`#${GET}/responses/200/content/text~1csv the media type is new`],
  ],
  [
    'a reply header is gone',
    { [`${GET}/responses/200/headers`]: undefined },
    [`#${GET}/responses/200/headers/x-count the header is gone`],
  ],
  [
    'a reply header becomes optional and is widened',
    { [`${GET}/responses/200/headers/X-Count`]: { schema: { type: 'number' } } },
    [
      `#${GET}/responses/200/headers/x-count the header is optional now`,
      `#${GET}/responses/200/headers/x-count/schema/type integer -> number; ${UNTOLD}`,
    ],
  ],
  [
    'one schema is narrowed for requests and widened for replies',
    { [`${SCHEMAS}/Plant/properties/name/pattern`]: 'a', [`${SCHEMAS}/Plant/required`]: [] },
    [
      `${REQUEST}/properties/name/pattern "^[^\\\\u0000]*$" -> "a"; ${REFUSED}`,
      `${REPLY}/properties/name/pattern "^[^\\\\u0000]*$" -> "a"; ${UNTOLD}`,
      `${REPLY}/required name is required -> name is optional; ${UNTOLD}`,
    ],
  ],
  [
    'an error is gone',
    { [`${CATALOGUE}/INVALID_UTF8`]: undefined },
    [`#${CATALOGUE}/INVALID_UTF8 INVALID_UTF8 (40007) is gone`],
  ],
  [
    'an error has another number',
    { [`${CATALOGUE}/INVALID_UTF8/number`]: 40099 },
    [`#${CATALOGUE}/INVALID_UTF8/number 40007 -> 40099; clients know INVALID_UTF8 otherwise`],
  ],
  [
    'an error has another status',
    { [`${CATALOGUE}/INVALID_UTF8/status`]: 415 },
    [`#${CATALOGUE}/INVALID_UTF8/status 400 -> 415; clients know INVALID_UTF8 otherwise`],
  ],
  [
    'an operation is called otherwise, and calls back',
    { [`${GET}/operationId`]: 'findPlants', [`${GET}/callbacks`]: { done: {} } },
    [
      `#${GET}/operationId "listPlants" -> "findPlants"; ${UNKNOWN}`,
      `#${GET}/callbacks none -> {"done":{}}; ${UNKNOWN}`,
    ],
  ],
  [
    'a keyword is not known',
    { [`${OWN}/properties/note/x-unit`]: { description: 'm' }, [`${OWN}/properties/note/default`]: 'a' },
    [
      `${REQUEST}/properties/note/x-unit none -> {"description":"m"}; ${UNKNOWN}`,
      `${REQUEST}/properties/note/default none -> "a"; ${UNKNOWN}`,
    ],
  ],
  [
    'a server is another one',
    { '/servers': [] },
    [expect.stringMatching(`^#/servers .* -> \\[\\]; ${UNKNOWN}$`) as string],
  ],
])('it breaks clients when %s', (_, changes, expected) => {
  expect(breaks(changes).sort()).toEqual([...expected].sort());
});

test.each<[string, Changes]>([
  ['an operation is new', { '/paths/~1pots': { get: { operationId: 'listPots', responses: {} } } }],
  ['a request property is new and optional', { [`${OWN}/properties/colour`]: { type: 'string' } }],
  ['a closed object gets a property', { [`${OWN}/properties/closed/properties/b`]: { type: 'string' } }],
  ['an object is opened', { [`${OWN}/properties/closed/additionalProperties`]: undefined }],
  ['a request bound is relaxed', { [`${OWN}/properties/note`]: { type: 'string', minLength: 0, maxLength: 20 } }],
  ['a request property becomes optional', { [`${OWN}/required`]: ['id'] }],
  ['a request enum gets a value', { [`${OWN}/properties/kind/enum/-`]: 'c' }],
  ['a request body becomes optional', { [`${POST}/requestBody/required`]: undefined }],
  ['a request media type is new', { [`${POST}/requestBody/content/text~1plain`]: {} }],
  ['a body is new and optional', { [`${GET}/requestBody`]: { content: { 'application/json': {} } } }],
  [
    'a query parameter is new and optional',
    { [`${GET}/parameters/-`]: { name: 'q', in: 'query', schema: { type: 'string' } } },
  ],
  [
    'a parameter moves to its path',
    {
      [`${GET}/parameters`]: undefined,
      '/paths/~1plants/parameters': [{ name: 'kind', in: 'query', schema: { enum: ['b', 'a'], type: 'string' } }],
    },
  ],
  ['a reply property is new', { [`${LIST}/properties/more`]: {}, [`${LIST}/required/-`]: 'more' }],
  ['a reply enum loses a value', { [`${LIST}/properties/kind/enum`]: ['a'] }],
  ['a reply is narrowed', { [`${LIST}/properties/size`]: { type: 'integer', exclusiveMinimum: 0, maximum: 9 } }],
  ['an error status is new', { [`${GET}/responses/404`]: { description: 'None.' } }],
  ['a reply header is new', { [`${GET}/responses/200/headers/X-More`]: { schema: {} } }],
  ['another credential will do', { '/security': [{ bearerAuth: [] }, { key: [] }] }],
  ['no credentials are needed', { '/security': [] }],
  [
    'a scheme is called otherwise',
    { '/components/securitySchemes': { a: { type: 'http', scheme: 'bearer' } }, '/security': [{ a: [] }] },
  ],
  [
    'people are told more',
    {
      '/info/description': 'More.',
      [`${POST}/summary`]: 'More.',
      [`${SCHEMAS}/Plant/properties/name/example`]: 'Fern',
      [`${CATALOGUE}/INVALID_UTF8/meaning`]: 'More.',
      '/servers/0/description': 'More.',
    },
  ],
  ['an error is new', { [`${CATALOGUE}/NEW`]: { number: 40011, status: 400, meaning: 'New.' } }],
  [
    'keys stand in another order',
    {
      '/components': Object.fromEntries(Object.entries(before.components ?? {}).reverse()),
      [`${SCHEMAS}/Error/required`]: ['message', 'error'],
      '/servers': [
        { variables: (openapi as unknown as { servers: Changes[] }).servers[0]?.['variables'], url: '{base_url}' },
      ],
    },
  ],
  [
    'a reference is written out',
    {
      [`${POST}/responses/400`]: responses?.['BadRequest'],
      [`${POST}/responses/200/content/application~1json/schema`]: Plant,
      [`${LIST}/properties/next`]: { properties: { value: { type: 'integer' }, next: { $ref: `#${SCHEMAS}/Node` } } },
    },
  ],
  [
    'an allOf is flattened',
    {
      [`${SCHEMAS}/NewPlant`]: {
        type: 'object',
        required: ['kind', 'id', 'name'],
        properties: {
          ...(Plant as { properties: Changes }).properties,
          ...(before.components as unknown as { schemas: { NewPlant: { allOf: { properties: Changes }[] } } }).schemas
            .NewPlant.allOf[1]?.properties,
        },
      },
    },
  ],
  [
    'an allOf is made',
    {
      [LIST]: {
        allOf: [
          { type: 'object', properties: { kind: { type: 'string' }, next: { $ref: `#${SCHEMAS}/Node` } } },
          { required: ['kind'], properties: { kind: { enum: ['a', 'b'] }, size: { type: 'integer', maximum: 10 } } },
          { properties: { size: { minimum: 0 } } },
        ],
      },
    },
  ],
])('it breaks nobody when %s', (_, changes) => {
  expect(breaks(changes)).toEqual([]);
});

test('a new property breaks where the others were said to be something', () => {
  const closed = patch(before, { [`${LIST}/additionalProperties`]: false });
  expect(breaks({ [`${LIST}/properties/more`]: {} }, closed)).toEqual([
    `#${LIST}/properties/more/not {} -> any; ${UNTOLD}`,
  ]);
  const typed = patch(before, { [`${OWN}/properties/closed/additionalProperties`]: { type: 'number' } });
  expect(breaks({ [`${OWN}/properties/closed/properties/b`]: { type: 'integer' } }, typed)).toEqual([
    `${REQUEST}/properties/closed/properties/b/type number -> integer; ${REFUSED}`,
  ]);
});

test('schemas may move and have other names', () => {
  const text = JSON.stringify(openapi).replaceAll('schemas/Error', 'schemas/Failure');
  const moved = patch(JSON.parse(text) as Document, {
    [`${SCHEMAS}/Error`]: undefined,
    [`${SCHEMAS}/Failure`]: ErrorSchema,
    [`${SCHEMAS}/NewPlant`]: NewPlant,
  });
  expect(findContractBreaks(openapi, moved)).toEqual([]);
});

test('what stands beside a reference, as OpenAPI 3.1 has it, counts', () => {
  const node = { $ref: `#${SCHEMAS}/Node` };
  const both = { ...node, maxProperties: 1 };
  expect(
    breaks({ [`${OWN}/properties/list/items`]: node }, patch(before, { [`${OWN}/properties/list/items`]: both })),
  ).toEqual([]);
  expect(
    breaks({ [`${OWN}/properties/list/items`]: both }, patch(before, { [`${OWN}/properties/list/items`]: node })),
  ).toEqual([`${REQUEST}/properties/list/items/maxProperties none -> 1; ${REFUSED}`]);
  const either = patch(before, { [`${OWN}/properties/list/items/oneOf/-`]: node });
  expect(breaks({ [`${OWN}/properties/list/items/oneOf/2`]: both }, either)).toHaveLength(1);
  const body = `${POST}/requestBody/content/application~1json/schema`;
  expect(breaks({ [`${body}/maxProperties`]: 9 })).toEqual([`#${body}/maxProperties none -> 9; ${REFUSED}`]);
});
