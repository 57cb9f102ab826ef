import { readFileSync } from 'node:fs';
import { compareVerdicts, describeVerdicts, isAgreed } from './agreement/agreement';
import { startTarget } from '../../../tests/support/start-target';
import { runCase, createSuite, type CaseResult } from '@contract-kit/conformance';
import {
  findDifferences,
  describeDifference,
  DIFFERENCES,
  MORE_DIFFERENCES,
  nameOf,
} from './agreement/eov-differences';
import { startStandIns } from './stand-ins/start-stand-ins';

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

const BODY_LIMIT = 1024 ** 2;

test.each([
  // It names what the validator lets through of a released contract, which stays as it is; another one may show more.
  ['the first release', 'contracts/1.0.0.yaml', DIFFERENCES],
  ['a larger contract', 'tests/fixtures/contracts/library.yaml', { ...DIFFERENCES, ...MORE_DIFFERENCES }],
])(
  'express-openapi-validator and the kit agree on every request of %s, but for what is known',
  async (_, file, known) => {
    const source = readFileSync(file, 'utf8');
    const suite = createSuite(source, { bodyLimit: BODY_LIMIT, marker: 'agreement', level: 'strict' });
    await using target = await startStandIns(source, suite, BODY_LIMIT);
    const differences = await findDifferences(file, suite, target);
    const unknown = differences.filter((one) => nameOf(one) === undefined);
    expect(unknown.map(describeDifference)).toEqual([]);
    expect(new Set(differences.map(nameOf))).toEqual(new Set(Object.keys(known)));
  },
);
