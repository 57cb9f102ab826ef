// Runs `npm test` while busy loops use the cores.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { showPhases } from '../../scripts/test';

/** Keeps a core busy until the process that started it has ended, however that ended. */
const BUSY = `
  process.on('disconnect', () => process.exit());
  (function turn() {
    for (const end = Date.now() + 100; Date.now() < end; );
    setImmediate(turn);
  })();
`;

/**
 * Runs `npm test` repeatedly while other processes keep the cores busy.
 *
 * @example npm run check -- busy --times 3 --loops 4
 * @example npm run check -- busy --npm "run check -- coverage"
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '5' },
      loops: { type: 'string', default: '8' },
      npm: { type: 'string', default: 'test' },
    },
  });
  const loops = Array.from({ length: Number(values.loops) }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
  try {
    const runs = Array.from({ length: Number(values.times) }, (_, index) => [
      { name: `${values.npm} ${String(index + 1)}`, npm: values.npm },
    ]);
    const passed = await showPhases(runs, 'reports/test-busy');
    const times = `${String(passed)} of ${String(runs.length)} times`;
    console.log(`result: npm ${values.npm} passed ${times} with ${String(loops.length)} busy loops`);
    if (passed === 0 || passed < runs.length) process.exitCode = 1;
  } finally {
    for (const loop of loops) loop.kill();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
