// Writes generated/ and new handlers from openapi.yaml.
import { runCommand } from '@contract-kit/tools';

void runCommand(['generate', ...process.argv.slice(2)]).then((status) => {
  process.exitCode = status;
});
