import {
  createSuite,
  describeUncovered,
  findUncovered,
  runCase,
  runStateful,
  titleOf,
} from '@contract-kit/conformance';
import { CRATES, createCrates, startCrates } from '../../../tests/support/start-crates';

test('with ids that a server makes, its operations have their cases, and a right one passes them all', async () => {
  const suite = createSuite(CRATES, { bodyLimit: 1024 ** 2, marker: 'marked', level: 'strict' });
  await using target = await startCrates(createCrates().handlers);
  const failed: string[] = [];
  for await (const { case: one, findings } of runStateful(suite, target, { workers: 4 }))
    if (findings.length > 0) failed.push(`${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`);
  expect(failed).toEqual([]);

  // What says nothing of one that is there.
  for (const one of suite.cases.filter(({ class: name }) => ['parameter', 'auth', 'positive'].includes(name)))
    suite.coverage.record(await runCase(suite.oracleFor(target.secrets), target, one));
  const gaps = findUncovered(suite.coverage.list()).filter(
    ({ isDeclared, operation, kind }) =>
      isDeclared && operation !== 'packCrate' && operation !== 'listCrates' && kind !== 'class',
  );
  expect(gaps.map(describeUncovered)).toEqual([]);
}, 120_000);
