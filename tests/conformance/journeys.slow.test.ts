import {
  createSuite,
  describeGap,
  describeJourney,
  gapsOf,
  runCase,
  runSequences,
  runStateful,
  titleOf,
} from '@contract-kit/conformance';
import { CRATES, createCrates, startCrates } from '../support/start-crates';
import { STATEFUL_FAULTS } from './teeth/stateful-faults/stateful-faults';

test('with ids that a server makes, its operations have their cases, and a right one passes them all', async () => {
  const suite = createSuite(CRATES, { bodyLimit: 1024 ** 2, mark: 'marked', level: 'strict' });
  await using target = await startCrates(createCrates().handlers);
  const failed: string[] = [];
  for await (const { case: one, findings } of runStateful(suite, target, { workers: 4 }))
    if (findings.length > 0) failed.push(`${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`);
  expect(failed).toEqual([]);

  // What says nothing of one that is there.
  for (const one of suite.cases.filter(({ class: name }) => ['parameter', 'auth', 'positive'].includes(name)))
    suite.coverage.record(await runCase(suite.oracleFor(target.secrets), target, one));
  const gaps = gapsOf(suite.coverage.list()).filter(({ isDeclared, operation, kind, name }) => {
    const isOfOthers = operation === 'packCrate' || operation === 'listCrates' || kind === 'class';
    return isDeclared && !isOfOthers && !name.endsWith(', outside');
  });
  expect(gaps.map(describeGap)).toEqual([]);
}, 120_000);

describe('random journeys', () => {
  const suite = createSuite(CRATES, { bodyLimit: 1024 ** 2, mark: 'marked', level: 'strict' });
  const options = { seed: 1, runs: 40, length: 20 };

  /** The shortest journey that shows a fault, as commands. */
  async function findJourney(name: string): Promise<string> {
    const { handlers, kept } = createCrates();
    const fault = STATEFUL_FAULTS.find((one) => one.name === name);
    await using target = await startCrates({ ...handlers, ...fault?.change(handlers, kept) });
    const traces = await runSequences(suite, target, options);
    return traces.map((trace) => describeJourney(trace, target, { bearerAuth: 'TOKEN' })).join('\n\n');
  }

  test('nothing is wrong with right handlers, and nothing is left behind', async () => {
    const { handlers, kept } = createCrates();
    await using target = await startCrates(handlers);
    await expect(runSequences(suite, target, options)).resolves.toEqual([]);
    // In which the labels are.
    expect(kept.size).toBe(1);
  }, 120_000);

  test.each([
    ['the latest is not in the list', ['POST', 'GET']],
    ['a missing If-Match is accepted', ['POST', 'PUT']],
    ['a creation is answered with the id of another', ['POST', 'POST']],
    ['what is not there is deleted with success', ['POST', 'DELETE', 'DELETE']],
  ])(
    '%s: the shortest way to see it',
    async (name, methods) => {
      const commands = await findJourney(name);
      expect([...commands.matchAll(/^curl .* -X (\w+)/gm)].map(([, method]) => method)).toEqual(methods);
      expect(commands).toContain('"${TOKEN}"');
      expect(commands).toMatch(/^# .*\((?:RFC|house rule).*\)$/m);
    },
    120_000,
  );
});
