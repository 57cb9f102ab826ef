// Runs what every change must pass, and stops at the first step that fails.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';

const RESULTS = 'reports/unit.json';
const UNIT = `unit -- --json --outputFile ${RESULTS}`;
const STEPS = ['contract:check', 'generate -- --check', 'lint', 'types', UNIT, 'start -- --check'];
// For the start, with a store of its own.
const settings = { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: 'file:reports/test.db' };

/** What Jest says of a file with tests. */
interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

/** The last lines of the screen name the tests that failed. */
function listFailures(): void {
  if (!existsSync(RESULTS)) return;
  const { testResults } = JSON.parse(readFileSync(RESULTS, 'utf8')) as { readonly testResults: readonly TestFile[] };
  for (const { name, assertionResults } of testResults.filter(({ status }) => status === 'failed')) {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName } of failed.length > 0 ? failed : [{ fullName: 'does not run' }])
      console.log(`      ${relative('.', name)}  ${fullName}`);
  }
}

mkdirSync('reports', { recursive: true });
rmSync(RESULTS, { force: true });
for (const step of STEPS) {
  const [name] = step.split(' -- --json');
  console.log(`\n${String(name)}`);
  const start = performance.now();
  const { status } = spawnSync(`npm run --silent ${step}`, {
    env: { ...process.env, ...settings },
    shell: true,
    stdio: 'inherit',
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok' : 'FAIL'}  ${String(name)}, ${seconds} s`);
  process.exitCode = status ?? 1;
  if (step === UNIT && status !== 0) listFailures();
  if (status !== 0) break;
}
