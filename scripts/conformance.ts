// Judges a server by openapi.yaml.
import { runCommand } from '@contract-kit/conformance';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
