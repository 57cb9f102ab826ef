import { join } from 'node:path';
import { run, type Ended, FROM_SOURCE } from '../../../tests/support/run-as-others';
import { CONTRACT, startThingsCrud } from '../../../tests/fixtures/things-crud/start';
import { checkCoverage, createSuite, describeCoverage, runSuite, type Target } from '../src';
import { loadAccepted } from '../src/report/uncovered';
import { useFolder } from '../../../tests/support/use-folder';

// Six operations on things whose ids the server makes, and right handlers: what a team has to accept is short.

const MOST = 10;

let target: Target & AsyncDisposable;
const folder = useFolder();
beforeAll(async () => {
  target = await startThingsCrud();
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
});

test('in the process of a test', async () => {
  const suite = createSuite(CONTRACT, { bodyLimit: 1024 ** 2, marker: 'gaps' });
  const options = { random: { seed: 1, runs: 1, isMarked: true }, isWanted: () => true, workers: 4 };
  let count = 0;
  for await (const { replies } of runSuite(suite, target, options)) count += replies.length;
  expect(count).toBeGreaterThan(900);

  const found = checkCoverage(suite);
  expect(found.declared).toBeGreaterThan(40);
  process.stdout.write(`\n${describeCoverage(found)}\n`);
  expect(found.groups.length).toBeLessThanOrEqual(MOST);
});

describe('from outside', () => {
  const file = join(folder, 'accepted-gaps.yaml');
  const COMMAND = [...FROM_SOURCE, 'packages/conformance/src/cli.ts'];
  const CASES = ['--contract', 'tests/fixtures/things-crud/openapi.yaml', '--token-env', 'TOKEN', '--runs', '1'];

  function judge(...args: string[]): Promise<Ended> {
    return run('.', process.execPath, ...COMMAND, '--url', target.base.href, ...CASES, ...args);
  }

  test('they fail where a file is named that does not accept them', async () => {
    const { status, output } = await judge('--coverage', file);
    expect(output).toMatch(
      /^Cases should produce \d+ things that the contract declares, and did not produce \d+ of them$/m,
    );
    expect(output).toMatch(
      /^Level contract: nothing is wrong in \d+ cases, and \d+ uncovered parts that .* does not accept$/m,
    );
    expect(status).toBe(1);
  });

  test('they are accepted by a file that the command writes', async () => {
    await judge('--destructive', '--coverage', file, '--accept');
    const accepted = loadAccepted(file);
    expect(accepted.length).toBeLessThanOrEqual(MOST);
    expect(accepted).toContainEqual({
      pattern: '* * 500 reply application/problem+json',
      reason: "the server's own failure: not produced from outside",
    });
    const next = await judge('--destructive', '--coverage', file);
    expect(next.output).toContain(`of them, which ${file} accepts\n`);
    expect(next.output).not.toContain('does not accept');
    expect(next.status).toBe(0);
  });
});
