import { readFileSync } from 'node:fs';
import { compareVerdicts, describeVerdicts, isAgreed } from './agreement/agreement';
import { startTarget } from '../../../tests/support/start-target';
import { runCase, createSuite, type CaseResult } from '@contract-kit/conformance';

test('the generated types, the server and an independent validator agree on every body', async () => {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), {
    bodyLimit: 1024 ** 2,
    marker: 'agreement',
    level: 'strict',
  });
  await using target = await startTarget(suite);
  const oracle = suite.oracleFor(target.secrets);
  const bodies = suite.cases.filter((one) => one.class === 'positive' || one.class === 'negative');
  const results: CaseResult[] = [];
  for (const one of bodies) results.push(await runCase(oracle, target, one));

  const verdicts = compareVerdicts(oracle, results);
  const [first] = verdicts.filter((one) => !isAgreed(one)).map(describeVerdicts);
  expect(first).toBeUndefined();
  // Of three, two say nothing when the third is not asked.
  const hasBodies = suite.model.operations.some(({ body }) => body?.contents.some(({ kind }) => kind === 'json'));
  expect(verdicts.some(({ types }) => types === true)).toBe(hasBodies);
  expect(verdicts.some(({ types }) => types === false)).toBe(hasBodies);
});
