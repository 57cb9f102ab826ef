import { findJsonError, hasUnpairedSurrogate } from '../../src/contract/json/exact-json';
import { readJson } from '../../src/request/read-value';

// JSON.parse tells the same place where it tells one, but for strings and words: theirs is the start here.
test.each([
  ['', 0],
  [' \n', 2],
  ['{', 1],
  ['{"a"', 4],
  ['{"a":', 5],
  ['{"a":1', 6],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{"a",1}', 4],
  ['{"a":1:2}', 6],
  ['{"a":1 "b":2}', 7],
  ['{,}', 1],
  ['{a:1}', 1],
  [`{'a':1}`, 1],
  ['{"a":{}]', 7],
  ['[1,]', 3],
  ['[,1]', 1],
  ['[1:2]', 2],
  ['[1}', 2],
  ['[[],[}]', 5],
  ['1]', 1],
  [']', 0],
  ['1 2', 2],
  ['01', 1],
  ['1.', 1],
  ['-', 0],
  ['nul', 0],
  ['nullx', 4],
  ['[true,"a]', 6],
  ['["\\x"]', 1],
  ['["\u0001"]', 1],
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

function messageOf(text: string): string {
  try {
    readJson(Buffer.from(text), undefined);
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
  expect(messageOf(' '.repeat(65_536))).toBe('The request body is not well-formed JSON.');
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
