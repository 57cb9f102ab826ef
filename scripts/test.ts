// Runs what every change must pass, and stops at the first step that fails.
import { spawnSync } from 'node:child_process';

const STEPS = ['contract:check', 'generate -- --check', 'lint', 'types', 'unit', 'start -- --check'];
// For the start, with a store of its own.
const settings = { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: 'file:reports/test.db' };

for (const step of STEPS) {
  console.log(`\n${step}`);
  const start = performance.now();
  const { status } = spawnSync(`npm run --silent ${step}`, {
    env: { ...process.env, ...settings },
    shell: true,
    stdio: 'inherit',
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok' : 'FAIL'}  ${step}, ${seconds} s`);
  process.exitCode = status ?? 1;
  if (status !== 0) break;
}
