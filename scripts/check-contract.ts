import { runCommand } from '@contract-kit/tools';

void runCommand(['check', ...process.argv.slice(2)]).then((status) => {
  process.exitCode = status;
});
