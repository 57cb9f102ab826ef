import { runNew } from '@contract-kit/tools/new';

void runNew(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
