import { runCommand } from '../src/run-command';

test.each([
  [['--help'], 0],
  [['generate', '--help'], 0],
  [[], 1],
])('contract-kit %j lists the commands, and ends with %i', async (args, status) => {
  expect(await runCommand(args)).toBe(status);
});
