import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readOptions, UsageError } from '../../scripts/conformance/options';
import { readRows } from '../start-app';
import { startProcess } from '../start-process';

const SECRET = 'a-secret-of-the-deployment';

interface Ended {
  readonly status: number;
  readonly output: string;
}

function runConformance(args: readonly string[], token = SECRET): Promise<Ended> {
  const all = ['-T', 'scripts/conformance.ts', ...args];
  const env = { PATH: process.env['PATH'], STORE_TOKEN: token };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [resolve('node_modules/ts-node/dist/bin.js'), ...all],
      { env },
      (error, stdout, stderr) => {
        done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
      },
    );
  });
}

test('a deployment that keeps the contract passes; what is created is marked, and the token stays unsaid', async () => {
  using service = startProcess({ API_TOKENS: SECRET, BASE_URL: 'http://localhost/v1' });
  const [, url = ''] = await service.waitFor(/"url":"([^"]+)"/);
  const junit = join(service.folder, 'reports', 'junit.xml');
  const coverage = join(service.folder, 'reports', 'coverage.txt');

  const args = [
    '--url',
    url,
    '--token-env',
    'STORE_TOKEN',
    '--tag',
    'from CI',
    '--junit',
    junit,
    '--coverage',
    coverage,
  ];
  const { status, output } = await runConformance(args);

  expect(output).toMatch(/createPlant +negative +(\d+)\/\1\n/);
  expect(output).toMatch(/ all +(\d+)\/\1\n/);
  expect(status).toBe(0);
  const rows = readRows(join(service.folder, 'data', 'plants.db'));
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(({ name, tag }) => name !== 'from CI' && tag !== 'from CI')).toEqual([]);
  const results = readFileSync(junit, 'utf8');
  expect(results).toMatch(/^<\?xml[^]*<testsuites tests="\d{3}" failures="0"/);
  expect(readFileSync(coverage, 'utf8')).toContain('\u2713 200 application/json');
  expect(`${output}${results}${readFileSync(coverage, 'utf8')}`).not.toContain(SECRET);
});

test('each failure comes with a line for a shell that shows it again', async () => {
  using service = startProcess({ API_TOKENS: 'a-secret-of-another-deployment' });
  const [, url = ''] = await service.waitFor(/"url":"([^"]+)"/);
  const junit = join(service.folder, 'junit.xml');

  const args = ['--url', url, '--token-env', 'STORE_TOKEN', '--only', 'positive,malformed', '--junit', junit];
  const { status, output } = await runConformance(args);

  expect(status).toBe(1);
  expect(output).toContain('createPlant positive');
  expect(output).not.toContain(SECRET);
  expect(readFileSync(junit, 'utf8')).toContain('<failure');
  const lines = [...output.matchAll(/^ {2}(curl .*)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(80);
  for (const line of lines.slice(0, 3)) {
    const env = { PATH: process.env['PATH'], STORE_TOKEN: SECRET };
    expect(execFileSync('bash', ['-c', line], { env, encoding: 'utf8', stdio: 'pipe' })).toMatch(/^HTTP\/1\.1 401 /);
  }
});

test.each([
  ['no address', [], '--url must be'],
  ['an address that is none', ['--url', 'localhost:3000'], '--url must be'],
  ['an unknown option', ['--colour'], "Unknown option '--colour'"],
  ['an unknown class', ['--url', 'http://127.0.0.1:1', '--only', 'positiv'], '--only names positiv'],
  ['a count that is none', ['--url', 'http://127.0.0.1:1', '--runs', '0'], '--runs must be a whole number'],
])('%s is a mistake', (_what, args, message) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(message);
});

test.each([
  ['an unknown option', ['--colour'], "Unknown option '--colour'"],
  [
    'no token',
    ['--url', 'http://127.0.0.1:1'],
    '--token-env must name the variable with the credentials of bearerAuth',
  ],
  [
    'an empty variable',
    ['--url', 'http://127.0.0.1:1', '--token-env', 'NOTHING'],
    'the environment variable NOTHING is empty',
  ],
  ['no such contract', ['--url', 'http://127.0.0.1:1', '--contract', 'none.yaml'], 'none.yaml'],
])('%s is told, with status 2', async (_what, args, message) => {
  const { status, output } = await runConformance(args);
  expect(output).toContain(message);
  expect(status).toBe(2);
});

test('nobody who listens is a failure, not a crash', async () => {
  const { status, output } = await runConformance([
    '--url',
    'http://127.0.0.1:1',
    '--token-env',
    'STORE_TOKEN',
    '--only',
    'method',
  ]);
  expect(output).toContain('connect ECONNREFUSED 127.0.0.1:1');
  expect(status).toBe(1);
});
