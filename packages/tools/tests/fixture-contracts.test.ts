import { readFileSync } from 'node:fs';
import type { Document } from '@contract-kit/server/contract';
import { readErrorCatalogue } from '../src/lint/error-catalogue';
import { findStructureErrors } from '../src/lint/lint-contract';
import { bundleContract } from '../src/bundle/bundle-contract';
import { parseYaml } from '../../server/src/contract/yaml/parse-yaml';
import { FIXTURE_ERRORS, FORBIDDEN } from '../../../tests/support/fixture-errors';
import { makeLargeContract } from '../../../tests/fixtures/contracts/make-large-contract';

const FOLDER = 'tests/fixtures/contracts';
const large = [1, 100, 500].map((count) => [`${String(count)} operations`, makeLargeContract(count), count] as const);
const written = [
  ['library.yaml', 18],
  ['everything.yaml', 24],
  ['corners.yaml', 14],
  ['schemas.yaml', 3],
  ['features.yaml', 4],
] as const;
const contracts = [
  ...written.map(([file, count]) => [file, readFileSync(`${FOLDER}/${file}`, 'utf8'), count] as const),
  ...large,
];

test.each(contracts)('%s: without a mistake, with so many operations', async (file, source, count) => {
  const document = parseYaml(source, file) as Document;
  const bundle = await bundleContract(source, `${FOLDER}/${file}`);
  await expect(findStructureErrors(bundle, document)).resolves.toEqual([]);
  expect(source.match(/\boperationId\b/g)).toHaveLength(count);
});

test.each(contracts)('%s: the errors have the numbers that the kit sends', (file, source) => {
  const { catalogue } = readErrorCatalogue(parseYaml(source, file) as object);
  const numbers = Object.entries(catalogue).map(([name, { number, status }]) => [name, { number, status }] as const);
  const errors = source.includes('FORBIDDEN') ? { ...FIXTURE_ERRORS, FORBIDDEN } : FIXTURE_ERRORS;
  const own = Object.entries(errors).map(([name, { number, status }]) => [name, { number, status }] as const);
  expect(Object.fromEntries(numbers)).toMatchObject(Object.fromEntries(own));
});

test('the same count makes the same contract, and there is a largest', () => {
  expect(makeLargeContract(7)).toBe(makeLargeContract(7));
  expect(() => makeLargeContract(541)).toThrow('1 to 540 operations, not with 541');
});
