import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { titleOf } from './case';
import { startTarget } from './in-process';
import { describeGap, gapsOf, toListing } from './report/listing';
import { createSuite } from './suite';
import { isPossible, runCase, type Target } from './run-case';
import { toCurl } from './wire/curl';

const { model, cases, coverage, oracleFor } = createSuite(readFileSync('openapi.yaml', 'utf8'), {
  bodyLimit: 1024 ** 2,
  mark: 'conformance',
});

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
  const result = await runCase(oracleFor(target.secrets), target, one);
  coverage.record(result);
  if (result.failures.length > 0) {
    throw new Error(`${result.failures.join('\n')}\n\n${toCurl(one.request, target.base, { bearerAuth: 'TOKEN' })}`);
  }
});

test('every rule, reply and number that the contract declares is produced, and nothing else', () => {
  expect(gapsOf(coverage.list()).map(describeGap)).toEqual([]);
});
