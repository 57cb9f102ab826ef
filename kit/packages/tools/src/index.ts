/**
 * Tools for developing a project: they generate code, check the contract, and restart the server whenever a file is saved.
 *
 * @example process.exitCode = await runCommand(['generate'])
 */

export { runCommand } from './run-command';
export { generate } from './generate/generate';
export { checkContract } from './check/check-contract';
export { startDev } from './dev/dev';
