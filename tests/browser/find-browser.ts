import { spawnSync } from 'node:child_process';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The first Chromium that runs: the one of the environment variable CHROMIUM, or one on the PATH. */
export function findBrowser(): string | undefined {
  const own = process.env['CHROMIUM'];
  // Some of these names only say on some systems how it could be installed.
  return (own === undefined ? NAMES : [own])
    .flatMap(locate)
    .find((file) => spawnSync(file, ['--version']).status === 0);
}

function locate(name: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
  return stdout === '' ? [] : [stdout.trim()];
}
