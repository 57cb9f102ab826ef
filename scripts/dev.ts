import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { writeGenerated } from './generate/write-generated';

// Several files are often saved at once.
const SETTLE_MS = 100;
const TSC = [require.resolve('typescript/bin/tsc'), '-p', 'src', '--noEmitOnError', '--pretty'];

let server: ChildProcess | undefined;
let pending: NodeJS.Timeout | undefined;
let isBusy = false;

/** Regenerates, compiles and tries the start; only when all went well does a new server take the place of the last good one. */
async function renew(): Promise<void> {
  try {
    const written = await writeGenerated();
    if (written.length > 0) console.error(`dev: wrote generated/ ${written.join(', ')}`);
    const { status } = spawnSync(process.execPath, TSC, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('the types do not fit');
    const check = spawnSync(process.execPath, ['dist/main.js', '--check'], { stdio: ['ignore', 'ignore', 2] });
    if (check.status !== 0) throw new Error('it would not start');
    await swap();
  } catch (error) {
    console.error(
      `dev: ${(error as Error).message}\ndev: ${server ? 'the last good server goes on' : 'no server yet'}`,
    );
  }
}

async function swap(): Promise<void> {
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  server = spawn(process.execPath, ['dist/main.js'], { stdio: 'inherit' });
}

function schedule(): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    if (isBusy) {
      schedule();
      return;
    }
    isBusy = true;
    void renew().finally(() => {
      isBusy = false;
    });
  }, SETTLE_MS);
}

const watchers = [
  watch('src', { recursive: true }, schedule),
  // The folder, not the file: many editors save by putting another file in its place.
  watch('.', (_event, name) => {
    if (name === 'openapi.yaml') schedule();
  }),
];

// The terminal sends Ctrl-C to the server too, which ends by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearTimeout(pending);
    watchers.forEach((watcher) => {
      watcher.close();
    });
    if (signal === 'SIGTERM') server?.kill();
  });
}
schedule();
