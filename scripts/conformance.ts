import { runCommand } from '@plant-store/conformance';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
