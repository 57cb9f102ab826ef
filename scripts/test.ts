// Runs the checks of this repository.
import { showSteps, ALL_STEPS, QUICK_STEPS } from './test/run-steps';

/**
 * Runs the checks of this project.
 *
 * @param args `--all` for everything; names of steps, such as `lint`, for those alone
 */
async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => arg !== '--all');
  const steps = args.includes('--all') ? ALL_STEPS : QUICK_STEPS;
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`there is no step ${unknown.join(', ')}`);
  const chosen = steps.filter(({ name }) => names.length === 0 || names.includes(name));
  if ((await showSteps(chosen, 'reports/test')) < chosen.length) process.exitCode = 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
