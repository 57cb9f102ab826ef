import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions, UsageError } from '../../packages/conformance/src/options';
import { createTokenVerifier } from '../../packages/server/src/auth/token-verifier';
import { startThings } from '../start-things';

const SECRET = 'a-secret-of-the-deployment';
// As `npm run conformance` has it.
const COMMAND = ['--conditions=source', '--require', 'ts-node/register/transpile-only'];
const CONTRACT = ['--contract', 'tests/fixtures/things.yaml'];

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly status: number;
  readonly output: string;
}

function run(file: string, args: readonly string[], token: string): Promise<Ended> {
  const env = { PATH: process.env['PATH'], STORE_TOKEN: token };
  return new Promise((done) => {
    execFile(file, args, { env }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

function runConformance(args: readonly string[], token = SECRET): Promise<Ended> {
  const all = [...COMMAND, 'scripts/conformance.ts', '--level', 'strict', ...CONTRACT, ...args];
  return run(process.execPath, all, token);
}

test('a deployment that keeps the contract passes; what is created is marked, and the token stays unsaid', async () => {
  await using service = await startThings({ prefix: '/v1', verify: createTokenVerifier([SECRET]) });
  const url = `http://127.0.0.1:${String(service.port)}/v1`;
  const junit = join(folder, 'reports', 'junit.xml');
  const coverage = join(folder, 'reports', 'coverage.txt');

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

  expect(output).toMatch(/createThing +negative +(\d+)\/\1\n/);
  expect(output).toMatch(/ all +(\d+)\/\1\n/);
  expect(status).toBe(0);
  const rows = service.rows();
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(({ name, tag }) => name !== 'from CI' && tag !== 'from CI')).toEqual([]);
  const results = readFileSync(junit, 'utf8');
  expect(results).toMatch(/^<\?xml[^]*<testsuites tests="\d{3}" failures="0"/);
  expect(readFileSync(coverage, 'utf8')).toContain('\u2713 200 application/json');
  expect(`${output}${results}${readFileSync(coverage, 'utf8')}`).not.toContain(SECRET);
});

test('each failure comes with a line for a shell that shows it again', async () => {
  await using service = await startThings({ verify: createTokenVerifier(['a-secret-of-another-deployment']) });
  const url = `http://127.0.0.1:${String(service.port)}`;
  const junit = join(folder, 'junit.xml');

  const only = ['--only', 'positive,malformed', '--verbose'];
  const args = ['--url', url, '--token-env', 'STORE_TOKEN', ...only, '--junit', junit];
  const { status, output } = await runConformance(args);

  expect(status).toBe(1);
  expect(output).toContain('createThing positive');
  expect(output).not.toContain(SECRET);
  expect(readFileSync(junit, 'utf8')).toContain('<failure');
  const lines = [...output.matchAll(/^ {2}(curl .*)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(80);
  for (const line of lines.slice(0, 3)) {
    const { output: reply } = await run('bash', ['-c', line], SECRET);
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
  }
});

test.each([
  ['no address', [], '--url must be'],
  ['an address that is none', ['--url', 'localhost:3000'], '--url must be'],
  ['an unknown option', ['--colour'], "Unknown option '--colour'"],
  ['an unknown level', ['--url', 'http://127.0.0.1:1', '--level', 'high'], '--level high is none of contract'],
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
