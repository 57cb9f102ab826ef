import { readFileSync } from 'node:fs';
import { readModel, type Operation } from '../src/contract/model';
import { findJson } from '../src/contract/read-content';
import { declaredRules } from '../src/report/declared-rules';
import { createValidator } from '../src/validator';
import { createValues } from '../src/values/values';
import { fits } from '../src/values/variant';
import { writeJson } from '../src/wire/json';

const KEYWORDS = readFileSync('tests/fixtures/keywords.yaml', 'utf8');

describe.each([
  'openapi.yaml',
  'tests/fixtures/keywords.yaml',
  'tests/fixtures/dialect.yaml',
  'tests/fixtures/notes.yaml',
])('%s', (file) => {
  const model = readModel(readFileSync(file, 'utf8'));
  const values = createValues(createValidator(model.contract), 'text');
  const bodies = model.operations.flatMap((operation) => {
    const body = findJson(operation.body?.contents ?? []);
    return body ? [{ operation, body }] : [];
  });

  test('every right value fits by an independent validator, and no wrong one does', () => {
    for (const { body } of bodies) {
      const wrong = [
        ...values.goodValues(body.schema).filter(({ value }) => !fits(values, body.schema, value)),
        ...values.badValues(body.schema).filter(({ value }) => fits(values, body.schema, value)),
      ];
      expect(wrong.map(({ pointer, label, value }) => `${pointer} ${label} ${writeJson(value)}`)).toEqual([]);
    }
  });

  test('every rule of a body has a value on each of its sides', () => {
    for (const { operation, body } of bodies) {
      const inside = new Set(values.goodValues(body.schema).flatMap(({ covers }) => covers));
      const outside = new Set(values.badValues(body.schema).flatMap(({ covers }) => covers));
      const alone = { ...operation, parameters: [], body: operation.body && { ...operation.body, contents: [body] } };
      const ofBody = [...declaredRules(alone as Operation)].filter(
        ([rule]) => !rule.startsWith(String(operation.body?.pointer)),
      );
      const missing = ofBody.flatMap(([rule, sides]) => [
        ...(sides.accepted && !inside.has(rule) ? [`${rule}, inside`] : []),
        ...(sides.refused && !outside.has(rule) ? [`${rule}, outside`] : []),
      ]);
      expect(missing).toEqual([]);
    }
  });
});

test.each(['maxLength: 1000000000', 'maxLength: 2000000'])('a limit that no body comes near, %s, is none', (limit) => {
  const model = readModel(KEYWORDS.replace('maxLength: 5', limit));
  const values = createValues(createValidator(model.contract), 'text');
  for (const operation of model.operations) {
    const body = findJson(operation.body?.contents ?? []);
    const made = body ? values.badValues(body.schema).filter(({ pointer }) => pointer.endsWith('/bounded')) : [];
    expect(made.filter(({ keyword }) => keyword === 'maxLength')).toEqual([]);
  }
});

test.each([
  ['12:00:00Z', true],
  ['23:20:50.52+01:00', true],
  ['12:00:00', false],
  ['24:00:00Z', false],
])('whether %s is a time is %s', (time, isTime) => {
  const { contract } = readModel(KEYWORDS.replace('format: date-time', 'format: time'));
  const texts = '#/components/schemas/Texts/properties/texts/properties';
  expect(createValidator(contract)(`${texts}/time`, time).length === 0).toBe(isTime);
});
