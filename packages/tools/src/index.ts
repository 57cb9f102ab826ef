/**
 * What a project needs while it is developed: code generated from its contract, checks of the contract, a server that
 * restarts at each save.
 *
 * @example process.exitCode = await runCommand(['generate'])
 */

export { runCommand } from './run-command';
export { generate } from './generate/generate';
export { checkContract } from './check/check-contract';
export { startDev } from './dev/dev';
