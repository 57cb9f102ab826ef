// Serves the plant store, and follows each saved change.
import { runCommand } from '@contract-kit/tools';

void runCommand(['dev', '--project', 'src/tsconfig.json', ...process.argv.slice(2)]).then((status) => {
  process.exitCode = status;
});
