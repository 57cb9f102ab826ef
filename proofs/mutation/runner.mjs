// Stryker's runner of Jest, until the time is over: from then on it starts no test. Stryker leaves a mutant out of the score
// whose tests cannot be run.
import { strykerPlugins as jestPlugins } from '@stryker-mutator/jest-runner';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';

const DEADLINE = Number(process.env.MUTATION_DEADLINE ?? Infinity);
const [{ factory: createJestRunner }] = jestPlugins;

function createRunner(injector) {
  const runner = createJestRunner(injector);
  const run = runner.mutantRun.bind(runner);
  runner.mutantRun = (options) =>
    Date.now() > DEADLINE ? Promise.resolve({ status: 'error', errorMessage: 'The time is over.' }) : run(options);
  return runner;
}
createRunner.inject = ['$injector'];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'jest-until-the-deadline', createRunner)];
