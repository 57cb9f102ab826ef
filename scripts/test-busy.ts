import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { showSteps } from './test/show-steps';

/**
 * Runs `npm test` again and again beside processes that keep the cores busy.
 *
 * @example npm run test:busy -- --times 3 --loops 4
 * @example npm run test:busy -- --script unit:coverage
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '5' },
      loops: { type: 'string', default: '8' },
      script: { type: 'string', default: 'test' },
    },
  });
  const loops = Array.from({ length: Number(values.loops) }, () => spawn(process.execPath, ['-e', 'for (;;) {}']));
  try {
    const steps = Array.from({ length: Number(values.times) }, (_, index) => ({
      name: `${values.script} ${String(index + 1)}`,
      npm: `run ${values.script}`,
      isAlone: true,
    }));
    if (!(await showSteps(steps, 'reports/test-busy'))) process.exitCode = 1;
  } finally {
    for (const loop of loops) loop.kill();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
