import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Runs a script to its end; the output is what it writes, errors last. */
export function runNode(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...COMPILED },
  });
  return { status, output: stdout + stderr };
}

/** The environment of that command: the sources are compiled as they are here. */
export const COMPILED = { TS_NODE_PROJECT: resolve('tsconfig.json') };

/** The arguments of Node for the command `contract-kit`, as it is written, in any folder. */
export const CONTRACT_KIT = [
  ...['--conditions=source', '--require', resolve('node_modules/ts-node/register/transpile-only')],
  resolve('packages/tools/src/cli.ts'),
];
