import { hasUnpairedSurrogate } from '../../src/contract/json/exact-json';

test.each([
  ['"\\ud800"'],
  ['"\\uDFFF"'],
  ['"\\udc00\\ud800"'],
  ['"\\ud800\\ud800\\udc00"'],
  ['"\\ud83c\\udf39\\udf39"'],
  ['"\\ud83c\\\\udf39"'],
  ['"\\ud83c\\u0041"'],
  ['"\\\\\\ud800"'],
  ['"\\u0041\\n\\ud800"'],
  ['{"\\udfff":1}'],
  ['{"a":"\\ud800","a":"b"}'],
])('it is found: %s', (text) => {
  JSON.parse(text);
  expect(hasUnpairedSurrogate(text)).toBe(true);
});

test.each([
  ['"\u{1f339}"'],
  ['"\\ud83c\\udf39"'],
  ['"\\uD83C\\uDF39\\n\\u0041"'],
  ['"\\\\ud800"'],
  ['"\\ud7ff\\ue000"'],
  ['"\\\\\\\\ud800\\ud83c\\udf39"'],
  ['{"\\udbff\\udfff":["\\u0000"]}'],
])('none is found: %s', (text) => {
  JSON.parse(text);
  expect(hasUnpairedSurrogate(text)).toBe(false);
});
