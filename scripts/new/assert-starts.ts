import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { NewError } from './options';

/**
 * Tries the start of a project whose packages are not installed yet, with those of this one.
 *
 * @param contract its file, for the message
 * @throws NewError with what the service says, when it does not start
 */
export function assertStarts(root: string, contract: string): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', require.resolve('ts-node/register/transpile-only'), 'src/main.ts', '--check'],
    {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        NODE_PATH: resolve('node_modules'),
        TS_NODE_COMPILER: require.resolve('typescript'),
        LOG_LEVEL: 'silent',
        PORT: '0',
        ADMIN_PORT: '0',
      },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new NewError(`a service of ${contract} does not start:\n${stderr}`);
}
