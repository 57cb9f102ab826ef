// Checks openapi.yaml.
import { runCommand } from '@contract-kit/tools';

void runCommand(['check', '--strict', ...process.argv.slice(2)]).then((status) => {
  process.exitCode = status;
});
