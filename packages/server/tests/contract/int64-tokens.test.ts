import type { NormalizedDocument as Document } from '../../src/contract/schema/document';
import { readInt64Tokens } from '../../src/contract/json/exact-json';
import { readJson } from '../../src/request/read-json';
import { createShape } from '../../src/contract/int64/shape';
const INT64 = { type: 'integer', format: 'int64' };
const TREE = { $ref: '#/components/schemas/Tree' };
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Trees', version: '1.0.0' },
  paths: {},
  components: {
    schemas: {
      Tree: {
        type: 'object',
        properties: {
          id: INT64,
          'a"\\': INT64,
          name: { type: 'string' },
          ids: { type: 'array', items: INT64 },
          below: { type: 'array', items: TREE },
          map: { type: 'object', additionalProperties: INT64 },
        },
      },
      Name: { type: 'object', properties: { name: { type: 'string' } } },
    },
  },
} as unknown as Document;
const tree = createShape(DOCUMENT, TREE);

test.each([
  // A double is exact.
  ['{"id":1,"ids":[1,-2,123456789012345]}', undefined],
  ['"1.5"', undefined],
  ['{"id":1,"name":"1.5"}', { id: undefined }],
  // Another one may not be.
  ['{"id":1.5}', { id: '1.5' }],
  [' { "id" : 1e+3 } ', { id: '1e+3' }],
  [
    '\t{\r\n"id"\n:\t-9007199254740993\n,"ids" : [ 1E3 , 2 , -0.0 ] , "name":1.5}',
    { id: '-9007199254740993', ids: ['1E3', undefined, '-0.0'] },
  ],
  [
    '{"ids":[],"below":[{},{"id":1.0},{"below":[]}],"map":{}}',
    { ids: [], below: [{}, { id: '1.0' }, { below: [] }], map: {} },
  ],
  // Where there is no int64, nothing is kept, however it is written.
  ['{"x":{"id":1.5},"y":[1.5,{"id":2.5},"]}\\"",true],"z":"\\\\","name":1.5,"n":null,"id":2.5}', { id: '2.5' }],
  [
    '{"id":"1.5","ids":["1.5",null,true,[1.5],{"id":1.5}]}',
    { id: undefined, ids: [undefined, undefined, undefined, [undefined], {}] },
  ],
  // The last one of two names counts.
  ['{"id":1.5,"id":2.5}', { id: '2.5' }],
  ['{"id":1.5,"id":"x"}', { id: undefined }],
  // Names are compared as what they mean.
  ['{"\\u0069d":1.5,"a\\"\\\\":2.5}', { id: '1.5', 'a"\\': '2.5' }],
  ['{"map":{"a":1.5,"":2.5,"constructor":3.5}}', { map: { a: '1.5', '': '2.5', constructor: '3.5' } }],
  // Another type than was declared.
  ['[1.5]', [undefined]],
])('%s', (text, tokens) => {
  expect(JSON.parse(JSON.stringify({ tokens: readInt64Tokens(tree, text) }, plain))).toEqual(
    JSON.parse(JSON.stringify({ tokens }, plain)),
  );
});

test('the name __proto__ is a name like others', () => {
  const { map } = readInt64Tokens(tree, '{"map":{"__proto__":1.5}}') as { map: object };
  expect(Object.entries(map)).toEqual([['__proto__', '1.5']]);
});

test('a document that is only an int64 keeps its text', () => {
  expect(readInt64Tokens(createShape(DOCUMENT, INT64), ' 1.5 ')).toBe('1.5');
});

test('a shape without an int64 costs nothing', () => {
  expect(readInt64Tokens(createShape(DOCUMENT, { $ref: '#/components/schemas/Name' }), '{"id":1.5}')).toBeUndefined();
  expect(readInt64Tokens(undefined, '1.5')).toBeUndefined();
});

test('what holds no int64 may be nested deeper than any stack, and what holds one is refused then', () => {
  const depth = 200_000;
  const brackets = '['.repeat(depth) + ']'.repeat(depth);
  expect(readInt64Tokens(tree, `{"x":${brackets},"id":1.5}`)).toEqual({ id: '1.5' });
  const deep = '{"below":['.repeat(depth) + ']}'.repeat(depth);
  expect(() => readInt64Tokens(tree, `{"id":1.5,"below":[${deep}]}`)).toThrow('nested too deeply');
  expect(() => readJson(Buffer.from(`{"id":1.5,"below":[${deep}]}`), tree)).toThrow(
    'the request body is nested too deeply',
  );
});

test('all else that goes wrong is not the fault of the request', () => {
  const broken = {
    get holdsInt64(): boolean {
      throw new Error('a bug');
    },
  };
  const shape = { ...tree, items: broken as typeof tree };
  expect(() => readJson(Buffer.from('[1.5]'), shape)).toThrow(new Error('a bug'));
});

function plain(_name: string, value: unknown): unknown {
  return value === undefined ? 'undefined' : value;
}
