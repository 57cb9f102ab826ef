import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { titleOf } from './case';
import { readModel } from './contract/model';
import { deriveCases } from './derive-cases';
import { startTarget } from './in-process';
import { createCoverage } from './report/coverage';
import { describeGap, gapsOf, toListing } from './report/listing';
import { isPossible, runCase, type Target } from './run-case';
import { createValidator } from './validator';
import { toCurl } from './wire/curl';

const model = readModel(readFileSync('openapi.yaml', 'utf8'));
const cases = deriveCases(model, { bodyLimit: 1024 ** 2, mark: 'conformance' });
const coverage = createCoverage(model);

let target: Target & AsyncDisposable;
beforeAll(async () => {
  target = await startTarget(model);
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  const listing = toListing(coverage.list());
  mkdirSync('reports/conformance', { recursive: true });
  writeFileSync('reports/conformance/coverage.txt', listing);
  process.stdout.write(`\n${listing}\n`);
});

test.each(cases.map((one) => [titleOf(one), one] as const))('%s', async (_title, one) => {
  expect(isPossible(target, one)).toBe(true);
  const oracle = { model, validate: createValidator(model.contract), secrets: target.secrets };
  const result = await runCase(oracle, target, one);
  coverage.record(result);
  if (result.failures.length > 0) {
    throw new Error(`${result.failures.join('\n')}\n\n${toCurl(one.request, target.base, { bearerAuth: 'TOKEN' })}`);
  }
});

test('every rule, reply and number that the contract declares is produced, and nothing else', () => {
  expect(gapsOf(coverage.list()).map(describeGap)).toEqual([]);
});
