import { Ajv2020 } from 'ajv/dist/2020';
import { addKeywords } from '../../../src/validate/eov/keywords';

/** How often the members of a value are listed, and the verdict on it. */
function countLooks(schema: object): [looks: number, isValid: unknown] {
  const ajv = new Ajv2020({ strict: false });
  const judgeOnce = addKeywords(ajv);
  let looks = 0;
  const value = new Proxy({ a: 199 }, { ownKeys: (target) => ((looks += 1), Reflect.ownKeys(target)) });
  const validate = ajv.compile(schema);
  const isValid: unknown = judgeOnce(() => validate(value));
  return [looks, isValid];
}

const values = Array.from({ length: 200 }, (_, a) => ({ a }));

test.each([
  ['an enum of 200 objects', { enum: values }, 1],
  [
    '30 patterns',
    { patternProperties: Object.fromEntries(values.slice(0, 30).map(({ a }) => [`^b${String(a)}`, { minimum: 0 }])) },
    1,
  ],
])('a value is looked at once for %s', (_what, schema, looks) => {
  expect(countLooks(schema)).toEqual([looks, true]);
});

test('of a list that contains nothing that matches, the list is told, and not each item', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addKeywords(ajv);
  const validate = ajv.compile({ contains: { type: 'string', minLength: 5 } });
  expect(validate([1, 2, 'a'])).toBe(false);
  expect(validate.errors?.map(({ keyword }) => keyword)).toEqual(['contains']);
});
