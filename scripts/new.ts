import { runNew } from '@contract-kit/tools';

void runNew(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
