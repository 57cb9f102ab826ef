import { readFileSync } from 'node:fs';
import { readModel, type Content } from '../src/contract/model';
import { findJsonContent } from '../src/contract/read-content';
import type { Schema } from '../src/contract/schema';
import { createValidator } from '../src/validation/validator';
import { createValues } from '../src/values/values';
import { fits, type Values } from '../src/values/variant';
import { toJson, writeJson } from '../src/wire/json';
import { contractOf } from './contract-of';

const KEYWORDS = readFileSync('packages/test-support/fixtures/keywords.yaml', 'utf8');

function read(file: string): { values: Values; bodies: readonly Content[] } {
  const model = readModel(readFileSync(file, 'utf8'));
  const bodies = model.operations.flatMap((operation) => findJsonContent(operation.body?.contents ?? []) ?? []);
  return { values: createValues(createValidator(model.contract), 'text'), bodies };
}

test.each([
  'packages/test-support/plants/openapi.yaml',
  'packages/test-support/fixtures/keywords.yaml',
  'packages/test-support/fixtures/dialect.yaml',
  'packages/test-support/fixtures/notes.yaml',
])('every right value of %s fits by an independent validator, and no wrong one does', (file) => {
  const { values, bodies } = read(file);
  for (const { schema } of bodies) {
    const wrong = [
      ...values.validValues(schema).filter(({ value }) => !fits(values, schema, value)),
      ...values.invalidValues(schema).filter(({ value }) => fits(values, schema, value)),
    ];
    expect(wrong.map(({ pointer, label, value }) => `${pointer} ${label} ${writeJson(value)}`)).toEqual([]);
  }
});

const OF_NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'int32 minimum', 'int64 maximum'];
const OF_LENGTHS = ['minLength', 'maxLength', 'minItems', 'maxItems'];

test.each([
  [
    'packages/test-support/fixtures/keywords.yaml',
    [...OF_NUMBERS, ...OF_LENGTHS, 'enum', 'optional'],
    [
      ...[...OF_NUMBERS, ...OF_LENGTHS, 'minProperties', 'maxProperties', 'multipleOf', 'uniqueItems'],
      ...['type', 'enum', 'required', 'pattern', 'format', 'additionalProperties', 'not'],
    ],
  ],
  [
    'packages/test-support/fixtures/dialect.yaml',
    ['prefixItems', 'contains', 'minContains', 'maxContains', 'propertyNames'],
    [
      ...['items', 'contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
      ...['dependentRequired', 'propertyNames', 'if', 'not'],
    ],
  ],
])('of %s, each keyword has values that keep it, and values that break it', (file, kept, broken) => {
  const { values, bodies } = read(file);
  const keywordsOf = (make: 'validValues' | 'invalidValues'): string[] =>
    bodies.flatMap((body) => values[make](body.schema).map(({ keyword }) => keyword));
  expect(keywordsOf('validValues')).toEqual(expect.arrayContaining(kept));
  expect(keywordsOf('invalidValues')).toEqual(expect.arrayContaining(broken));
});

test.each(['maxLength: 1000000000', 'maxLength: 2000000'])(
  'a limit that no body comes near, %s, has no case',
  (limit) => {
    const model = readModel(KEYWORDS.replace('maxLength: 5', limit));
    const values = createValues(createValidator(model.contract), 'text');
    for (const operation of model.operations) {
      const body = findJsonContent(operation.body?.contents ?? []);
      const made = body ? values.invalidValues(body.schema).filter(({ pointer }) => pointer.endsWith('/bounded')) : [];
      expect(made.filter(({ keyword }) => keyword === 'maxLength')).toEqual([]);
    }
  },
);

/** The values of a body with this schema. */
function readSchema(schema: string): { values: Values; schema: Schema } {
  const body = `requestBody: { content: { application/json: { schema: ${schema} } } }`;
  const { contract, operations } = readModel(contractOf(`{ post: { ${body}, responses: {} } }`));
  const [content] = operations.flatMap((operation) => operation.body?.contents ?? []);
  if (!content) throw new Error('there is no body');
  return { values: createValues(createValidator(contract), 'text'), schema: content.schema };
}

test('a pattern is tried with what other languages take for a match: a line break behind it, digits of another script', () => {
  const { values, schema } = readSchema('{ type: string, pattern: "^[A-Z]{2}[0-9]{2}$" }');
  const codes = values.invalidValues(schema).map(({ value }) => toJson(value));
  expect(codes).toContainEqual(expect.stringMatching(/^[A-Z]{2}[0-9]{2}\n$/));
  expect(codes).toContainEqual(expect.stringMatching(/^[A-Z]{2}[\u0660-\u0669]{2}$/));
});

test('dates come in the order of their properties, so that an end is after its start', () => {
  const { values, schema } = readSchema(
    '{ type: object, properties: { startsAt: { type: string, format: date-time }, endsOn: { type: string, format: date } } }',
  );
  expect(values.baseOf(schema)).toEqual({ startsAt: '2024-02-29T12:00:00Z', endsOn: '2028-02-29' });
});

test.each([
  ['{ type: integer, maximum: 18446744073709551615 }', ['far beyond, 1e400', 'far beyond, 1e19']],
  ['{ type: integer, maximum: 9007199254740991 }', ['maximum+1', 'far beyond, 18446744073709551616']],
])('of %s, numbers that a double reads as the limit are not sent', (text, labels) => {
  const { values, schema } = readSchema(text);
  const found = values.invalidValues(schema).flatMap(({ label }) => (/maximum|beyond/.test(label) ? [label] : []));
  expect(found).toEqual(expect.arrayContaining(labels));
  expect(found.includes('maximum+1')).toBe(labels.includes('maximum+1'));
});
