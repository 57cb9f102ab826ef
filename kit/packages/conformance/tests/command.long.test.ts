import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readFileSync, writeFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../src/cli/options';
import { UsageError } from '../src/terminal';
import { loadAccepted } from '../src/report/uncovered';
import { createSuite } from '../src/suite';
import { createTokenVerifier } from '@contract-kit/server';
import { startThings, THINGS } from '@contract-kit/test-support/start-things';
import { FROM_SOURCE, installPacked, ok, run as runIn } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';

const SECRET = 'a-secret-of-the-deployment';
const CONTRACT = ['--contract', 'packages/test-support/fixtures/things.yaml'];

const folder = useFolder();

interface Ended {
  readonly status: number;
  readonly output: string;
}

function run(file: string, args: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'], STORE_TOKEN: SECRET };
  return new Promise((done) => {
    execFile(file, args, { env }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

function runConformance(args: readonly string[]): Promise<Ended> {
  const all = [...FROM_SOURCE, 'packages/conformance/src/cli.ts', '--level', 'robust', ...CONTRACT, ...args];
  return run(process.execPath, all);
}

/** A deployment, with the command that judges it. */
async function startJudged(prefix = '') {
  const service = await startThings({ prefix, verify: createTokenVerifier([SECRET]) });
  const target = ['--url', `http://127.0.0.1:${String(service.port)}${prefix}`, '--token-env', 'STORE_TOKEN'];
  return Object.assign(service, { judge: (...args: readonly string[]) => runConformance([...target, ...args]) });
}

test('a deployment that keeps the contract passes; what is created is marked, and the token stays unsaid', async () => {
  await using service = await startJudged('/v1');
  const junit = join(folder, 'reports', 'junit.xml');

  const { status, output } = await service.judge('--tag', 'from CI', '--junit', junit);

  expect(output).toMatch(/^All \d{3} cases passed at level robust$/m);
  expect(status).toBe(0);
  const rows = service.rows();
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(({ name, tag }) => name !== 'from CI' && tag !== 'from CI')).toEqual([]);
  const results = readFileSync(junit, 'utf8');
  expect(results).toMatch(/^<\?xml[^]*<testsuites tests="\d{3}" failures="0"/);
  expect(`${output}${results}`).not.toContain(SECRET);
});

test('a run without any case judges nothing, and ends with status 2', async () => {
  await using service = await startJudged();
  const contract = join(folder, 'without-operations.yaml');
  writeFileSync(contract, 'openapi: 3.1.0\ninfo: { title: Things, version: 1.0.0 }\npaths: {}\n');
  const { status, output } = await service.judge('--contract', contract);
  expect(output).toContain('there were no cases, so nothing was judged');
  expect(status).toBe(2);
});

test('a contract with a mistake is said to have it in the last line, with status 3', async () => {
  await using service = await startJudged();
  const contract = join(folder, 'mistaken.yaml');
  writeFileSync(contract, THINGS.replace('tag: { type: string }', "tag: { type: string, pattern: '([' }"));
  const { status, output } = await service.judge('--only', 'positive', '--contract', contract);
  expect(output).toMatch(/^[^]*The contract is wrong: No cases could be made for patterns that are not .*\n$/);
  expect(status).toBe(3);
});

test('each failure comes with a line for a shell that shows it again', async () => {
  await using service = await startJudged();
  const junit = join(folder, 'junit.xml');
  const contract = join(folder, 'another.yaml');
  writeFileSync(contract, THINGS.replace("'200':", "'201':"));

  const only = ['--only', 'positive,malformed', '--verbose', '--contract', contract];
  const { status, output } = await service.judge(...only, '--junit', junit);

  expect(status).toBe(1);
  expect(output).toContain('POST /things');
  expect(output).not.toContain(SECRET);
  const results = readFileSync(junit, 'utf8');
  expect(results).toContain('<failure');
  expect(results).not.toContain(SECRET);
  const lines = [...output.matchAll(/^ {2}(curl .*)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines.slice(0, 3)) {
    const { output: reply } = await run('sh', ['-c', line]);
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('a gateway gets its header, and a baseline has the findings that are known', async () => {
  await using service = await startJudged();
  const seen = new Set<unknown>();
  service.server.prependListener('request', ({ headers }: IncomingMessage, res: ServerResponse) => {
    seen.add(headers['x-gateway']);
    res.setHeader('ETag', 'without quotation marks');
  });
  const baseline = join(folder, 'known.yaml');
  const judge = (...args: readonly string[]): Promise<Ended> =>
    service.judge('--only', 'positive', '--header', 'X-Gateway: a', ...args);
  const expectEnd = async (ended: Promise<Ended>, status: number, output: string): Promise<void> => {
    await expect(ended).resolves.toMatchObject({ status, output: expect.stringContaining(output) as string });
  };
  await expectEnd(judge(), 1, 'header-syntax');
  expect([...seen]).toEqual(['a']);
  await expectEnd(
    judge('--baseline', baseline),
    2,
    `the baseline ${baseline} does not exist: add --accept to write it`,
  );
  await expectEnd(
    judge('--baseline', baseline, '--accept'),
    0,
    `of the findings and unproven cases: they do not fail this run`,
  );
  await expectEnd(judge('--baseline', baseline), 0, `of the findings and unproven cases: they do not fail this run`);
  // Only what a run has judged, and without a failure that may hide it, is said to occur no longer.
  writeFileSync(baseline, '- a known finding\n');
  const { status, output } = await judge('--baseline', baseline);
  expect([status, output]).toEqual([1, expect.not.stringContaining('no longer occur')]);
});

test('what no case produced fails a run where a file is named, until the file accepts it', async () => {
  await using service = await startJudged();
  const file = join(folder, 'accepted-gaps.yaml');
  const judge = (...args: readonly string[]): Promise<Ended> => service.judge('--coverage', file, ...args);
  const unaccepted = await judge();
  expect(unaccepted.output).toMatch(
    /^All \d+ cases passed at level robust, but .* does not accept \d+ uncovered parts of the contract$/m,
  );
  expect(unaccepted.status).toBe(1);
  await judge('--accept');
  expect(loadAccepted(file)).toContainEqual({
    pattern: expect.stringMatching(/ 500 response application\/json$/) as string,
    reason: 'only a failure inside the server causes it, which a client cannot produce',
  });
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('TODO', 'see'));
  const accepted = await judge();
  expect(accepted.output).toContain(`of the contract; ${file} accepts the other `);
  expect(accepted.status).toBe(0);
});

test.each([
  ['no address', [], '--url must be'],
  ['an address that is not valid', ['--url', 'localhost:3000'], '--url must be'],
  ['an unknown option', ['--colour'], "Unknown option '--colour'"],
  ['an unknown level', ['--url', 'http://127.0.0.1:1', '--level', 'high'], '--level must be one of contract'],
  [
    'an unknown class',
    ['--url', 'http://127.0.0.1:1', '--only', 'positiv'],
    '--only positiv: the classes of cases are',
  ],
  ['no workers', ['--url', 'http://127.0.0.1:1', '--workers', '0'], '--workers must be a whole number'],
])('%s is a mistake', (_what, args, message) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(message);
});

test.each([
  ['no token', ['--url', 'http://127.0.0.1:1'], 'the security scheme bearerAuth needs credentials'],
  [
    'an empty variable',
    ['--url', 'http://127.0.0.1:1', '--token-env', 'NOTHING'],
    'the environment variable NOTHING is unset or empty',
  ],
  ['no such contract', ['--url', 'http://127.0.0.1:1', '--contract', 'none.yaml'], 'there is no file none.yaml\n'],
  [
    'an option with a letter too few',
    ['--contrct', 'openapi.yaml'],
    "error: Unknown option '--contrct'; did you mean --contract?\nusage: conformance --url URL [options]\n--help lists the options\n",
  ],
])('%s is told, with status 2', async (_what, args, message) => {
  const { status, output } = await runConformance(args);
  expect(output).toContain(message);
  expect(status).toBe(2);
});

test('who has a contract in Swagger 2.0 is told to convert it', () => {
  const swagger = '{ swagger: "2.0", info: { title: Things, version: 1.0.0 }, paths: {} }';
  expect(() => createSuite(swagger, { marker: 'mark' })).toThrow(
    'the contract is Swagger 2.0: convert it to OpenAPI 3, for example with swagger2openapi',
  );
});

test('where nothing can be said of the server, that is one line, with status 2', async () => {
  const silent = await runConformance(['--url', 'http://127.0.0.1:1', '--token-env', 'STORE_TOKEN']);
  const line = 'error: No HTTP server answers at http://127.0.0.1:1/: connect ECONNREFUSED 127.0.0.1:1\n';
  expect(silent).toEqual({ status: 2, output: line });
});

// The package as others get it: packed, and installed in a folder with nothing but a contract.

const empty = useFolder();

test('the packed command is installed in an empty folder, judges a server there, and is imported and required', async () => {
  await expect(installPacked(empty, ['conformance'])).resolves.toEqual(ok('added'));
  cpSync('packages/test-support/fixtures/things.yaml', join(empty, 'openapi.yaml'));

  await using service = await startThings({});
  const url = `http://127.0.0.1:${String(service.port)}`;
  const command = join(empty, 'node_modules/.bin/conformance');
  const judged = await runIn(empty, process.execPath, command, '--url', url, '--token-env', 'TOKEN');
  expect(judged).toEqual({ status: 0, output: expect.stringMatching(/^All \d+ cases passed/m) as string });

  const required = `console.log(typeof require('@contract-kit/conformance').createSuite)`;
  await expect(runIn(empty, process.execPath, '-e', required)).resolves.toEqual(ok('function'));
  const imported = `import { createSuite } from '@contract-kit/conformance'; console.log(typeof createSuite);`;
  await expect(runIn(empty, process.execPath, '--input-type=module', '-e', imported)).resolves.toEqual(ok('function'));
});
