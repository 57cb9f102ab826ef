// Makes or updates a project with the kit.
import '@contract-kit/server/node-version';
import { runNew } from '@contract-kit/tools/new';

void runNew(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
