import { readFileSync } from 'node:fs';
import { notBuilt, type AnyHandlers } from '../../server/src/pipeline/handler';
import { startApp } from '../../../tests/support/start-app';
import {
  titleOf,
  describeUncovered,
  findUncovered,
  runCase,
  createSuite,
  describeUnbuilt,
  type CaseResult,
} from '@contract-kit/conformance';
import { startTarget } from '../../../tests/support/start-target';

// As `npm run generate` writes them.
const handlers = new Proxy<AnyHandlers>(
  {},
  {
    get: (_table, id) => () => notBuilt(String(id)),
  },
);

test('of operations that nobody has built the suite expects no more than to be told so, and all else as ever', async () => {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), {
    bodyLimit: 1024 ** 2,
    marker: 'text',
    level: 'strict',
  });
  const { model, cases, coverage, oracleFor } = suite;
  await using target = await startTarget(suite, (parts) => startApp(parts ?? { handlers }));
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCase(oracleFor(target.secrets), target, one);
    coverage.record(result);
    results.push(result);
  }

  const failed = results.filter(({ findings }) => findings.length > 0);
  expect(
    failed.map(({ case: one, findings }) => `${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`),
  ).toEqual([]);
  const ids = model.operations.map(({ id }) => id);
  expect([...(target.unbuilt ?? [])]).toEqual(ids);
  const waiting = cases.filter(({ expect: expected }) => expected === 'accepted').length;
  expect(waiting).toBeGreaterThanOrEqual(ids.length);
  expect(describeUnbuilt(suite, new Set(ids))).toBe(
    `${String(ids.length)} of ${String(ids.length)} operations are not built yet, so ${String(waiting)} right requests to them have to be answered 501 or 503: ${ids.join(', ')}`,
  );

  expect(findUncovered(coverage.list(), new Set(ids)).map(describeUncovered)).toEqual([]);
  expect(findUncovered(coverage.list()).length).toBeGreaterThan(0);
});

test('of one that is built nothing is waived', async () => {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), {
    bodyLimit: 1024 ** 2,
    marker: 'text',
    level: 'strict',
  });
  await using target = await startTarget(suite, (parts) => startApp(parts ?? { handlers }));
  const right = suite.cases.filter(({ class: name }) => name === 'positive');
  for (const one of right) {
    const { findings } = await runCase(suite.oracleFor(target.secrets), { ...target, unbuilt: new Set() }, one);
    expect(findings.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^the status is 503, not a success/));
  }
  expect(describeUnbuilt(suite, new Set())).toBe('');
});
