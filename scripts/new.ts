import { createProject } from './new/create-project';
import { describeProject } from './new/describe-project';
import { NewError, readOptions, USAGE, UsageError } from './new/options';

async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  console.log(options ? describeProject(options.folder, await createProject(options)) : USAGE);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof NewError;
  const { message } = error as Error;
  console.error(error instanceof UsageError ? `${message}\n\n${USAGE}` : isExpected ? message : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
