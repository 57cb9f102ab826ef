// Creates a project of its own for a contract; --help lists the options.
import '@contract-kit/server/node-version';
import { runNew } from '@contract-kit/tools/new';

void runNew(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
