import { hasUnpairedSurrogate } from '../../src/contract/unpaired-surrogate';

test.each([
  ['{"name":"Rose \u{1f339}"}', false],
  ['"\\ud83c\\udf39"', false],
  ['"\\uD83C\\uDF39\\uD83C\\uDF39"', false],
  ['"\\\\ud83c"', false],
  ['"\\n\\u0041\\ue000\\uffff"', false],
  ['"\\ud83c"', true],
  ['"\\uDF39"', true],
  ['"\\udf39\\ud83c"', true],
  ['"\\ud83c\\ud83c\\udf39"', true],
  ['"\\ud83c\\udf39\\udf39"', true],
  ['"\\ud83c \\udf39"', true],
  ['"\\ud83c\\n"', true],
  ['"\\\\\\ud83c"', true],
  ['{"\\udbff":1}', true],
])('%s', (text, expected) => {
  expect(hasUnpairedSurrogate(text)).toBe(expected);
});
