import { createProject } from './create-project';
import { describeProject, describeUpdate } from './describe-project';
import { ProjectError, readOptions, USAGE, UsageError } from './options';
import { updateProject } from './update-project';

/**
 * Runs the command that makes and updates projects, `npm run new` of the repository of the kit.
 *
 * @returns the exit status: 0; 1 when it failed, or a project does not fit the newer kit; 2 for wrong arguments
 * @example process.exitCode = await runNew(process.argv.slice(2))
 */
export async function runNew(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (!options) {
      console.log(USAGE);
      return 0;
    }
    if (!options.isUpdate) {
      console.log(describeProject(options.folder, await createProject(options)));
      return 0;
    }
    const update = await updateProject(options.folder);
    console.log(describeUpdate(options.folder, update));
    return update.problem === undefined ? 0 : 1;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    // The message of a ProjectError is for people. Any other error is a bug: print its stack trace.
    console.error(error instanceof ProjectError ? error.message : error);
    return 1;
  }
}
