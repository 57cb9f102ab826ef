import {
  findJsonError,
  hasUnpairedSurrogate,
  JsonError,
  parseExactJson,
  readInt64Tokens,
} from '../src/json/exact-json';
import type { NormalizedDocument as Document } from '../src/2-resolve/document';
import { createShape, type Shape } from '../src/4-shape/shape';

// JSON.parse tells the same place where it tells one, but for strings and words: theirs is the start here.
test.each([
  [' \n', 2],
  ['{"a"', 4],
  ['{"a":', 5],
  ['{"a":1,}', 7],
  ['{"a":1:2}', 6],
  ['{"a":1 "b":2}', 7],
  ['{a:1}', 1],
  ['{"a":{}]', 7],
  ['[1,]', 3],
  ['[1:2]', 2],
  ['[[],[}]', 5],
  ['1 2', 2],
  ['01', 1],
  ['nullx', 4],
  ['[true,"a]', 6],
  ['["\\x"]', 1],
  ['\ufeff{}', 0],
])('%j is wrong at %i', (text, index) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(findJsonError(text)).toBe(index);
});

test('a text without a mistake is JSON to its end', () => {
  const text = '{"a":[1,-2.5e+3,{},[],"\\u0041\\n",null],"b":{"c":true}} ';
  JSON.parse(text);
  expect(findJsonError(text)).toBe(text.length);
});

test('arrays may be nested deeper than the stack', () => {
  expect(findJsonError('['.repeat(60_000))).toBe(60_000);
});

function messageOf(text: string, shape?: Shape): string {
  try {
    parseExactJson(Buffer.from(text), shape);
    return 'it is JSON';
  } catch (cause) {
    return (cause as Error).message;
  }
}

test('the message of a refusal has line and column, and nothing of the text', () => {
  expect(messageOf('{\n  "secret": "a",\r\n  secret: 1\n}')).toBe('The JSON is not well-formed at line 3, column 3.');
  expect(messageOf('')).toBe('The JSON is not well-formed at line 1, column 1.');
});

test('a larger text is not looked through again', () => {
  expect(messageOf(' '.repeat(65_536))).toBe('The JSON is not well-formed.');
});

test.each([
  ...[String.raw`"\ud800"`, String.raw`"\uDFFF"`, String.raw`"\udc00\ud800"`, String.raw`"\ud800\ud800\udc00"`],
  ...[String.raw`"\ud83c\udf39\udf39"`, String.raw`"\ud83c\\udf39"`, String.raw`"\ud83c\u0041"`],
  ...[String.raw`"\\\ud800"`, String.raw`"\u0041\n\ud800"`, '{"\\udfff":1}', '{"a":"\\ud800","a":"b"}'],
])('an unpaired surrogate is found: %s', (text) => {
  JSON.parse(text);
  expect(hasUnpairedSurrogate(text)).toBe(true);
});

test.each([
  ...['"\u{1f339}"', String.raw`"\ud83c\udf39"`, String.raw`"\uD83C\uDF39\n\u0041"`, String.raw`"\\ud800"`],
  ...[String.raw`"\ud7ff\ue000"`, String.raw`"\\\\ud800\ud83c\udf39"`, String.raw`{"\udbff\udfff":["\u0000"]}`],
])('no unpaired surrogate is found: %s', (text) => {
  JSON.parse(text);
  expect(hasUnpairedSurrogate(text)).toBe(false);
});

const INT64 = { type: 'integer', format: 'int64' };
const TREE = { $ref: '#/components/schemas/Tree' };
const ARRAY = { type: 'array' };
const Tree = {
  type: 'object',
  properties: {
    ...{ id: INT64, 'a"\\': INT64, name: { type: 'string' }, ids: { ...ARRAY, items: INT64 } },
    ...{ below: { ...ARRAY, items: TREE }, map: { type: 'object', additionalProperties: INT64 } },
  },
};
const Name = { type: 'object', properties: { name: { type: 'string' } } };
const INFO = { title: 'Trees', version: '1.0.0' };
const DOCUMENT = {
  openapi: '3.0.3',
  info: INFO,
  paths: {},
  components: { schemas: { Tree, Name } },
} as unknown as Document;
const tree = createShape(DOCUMENT, TREE);

test.each([
  // A double is exact.
  ['{"id":1,"ids":[1,-2,8999999999999999]}', undefined],
  ['"1.5"', undefined],
  ['{"id":1,"name":"1.5"}', { id: undefined }],
  // Another one may not be.
  ['{"id":1.5}', { id: '1.5' }],
  [' { "id" : 1e+3 } ', { id: '1e+3' }],
  ['{"id":10000000000000001,"ids":[-9000000000000000]}', { id: '10000000000000001', ids: ['-9000000000000000'] }],
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
  const [read, expected] = [readInt64Tokens(tree, text), tokens].map((value) => JSON.stringify({ value }, plain));
  expect(JSON.parse(String(read))).toEqual(JSON.parse(String(expected)));
});

test('the name __proto__ is a name like others', () => {
  const { map } = readInt64Tokens(tree, '{"map":{"__proto__":1.5}}') as { map: object };
  expect(Object.entries(map)).toEqual([['__proto__', '1.5']]);
});

test('what holds no int64 may be nested deeper than any stack, and what holds one is refused then', () => {
  const depth = 200_000;
  const brackets = '['.repeat(depth) + ']'.repeat(depth);
  expect(readInt64Tokens(tree, `{"x":${brackets},"id":1.5}`)).toEqual({ id: '1.5' });
  const deep = '{"below":['.repeat(depth) + ']}'.repeat(depth);
  expect(() => readInt64Tokens(tree, `{"id":1.5,"below":[${deep}]}`)).toThrow('nested too deeply');
  const body = Buffer.from(`{"id":1.5,"below":[${deep}]}`);
  expect(() => parseExactJson(body, tree)).toThrow(JsonError);
});

test.each([
  ['{"name":null,"x":1e400}', 'The JSON has a number that is too large for a double.'],
  ['{"id":null,"ids":[1e400]}', 'it is JSON'],
  ['{"below":[{"id":1e400}]}', 'it is JSON'],
])('an int64 beyond a double is judged later, any other number at once: %s', (text, message) => {
  expect(messageOf(text, tree)).toBe(message);
});

// Nobody reads it, and it takes longer to capture than a short text to parse.
test('the error for a text that is not JSON has no stack', () => {
  const { stack } = new JsonError('syntax', 'The JSON is not well-formed.');
  expect(stack).not.toMatch(/\n {4}at /);
});

test('all else that goes wrong is not the fault of the request', () => {
  const broken = {
    get holdsInt64(): boolean {
      throw new Error('a bug');
    },
  };
  const shape = { ...tree, items: broken as typeof tree };
  expect(() => parseExactJson(Buffer.from('[1.5]'), shape)).toThrow(new Error('a bug'));
});

function plain(_name: string, value: unknown): unknown {
  return value === undefined ? 'undefined' : value;
}
