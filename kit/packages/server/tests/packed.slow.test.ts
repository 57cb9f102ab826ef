import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { findAjvs, installPacked, ok, run, type Ended } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { TOKEN } from '@contract-kit/test-support/start-things';

// The package as others get it: packed, and installed in a folder with a contract, a handler and an application that
// exists, which is the one of its README.

const folder = useFolder();
writeFileSync(join(folder, 'package.json'), '{ "private": true }');

const MAIN = `import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRenderer, createTokenVerifier, loadContract } from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { createExistingApp } from './existing-app.mts';

let begun = 0;
const contract = loadContract('openapi.yaml', createHash('sha256').update(readFileSync('openapi.yaml')).digest('hex'));
const app = await createExistingApp({
  contract,
  validator: OpenApiValidator,
  handlers: {
    createThing({ body: { id, name } }, reply) {
      begun++;
      return name === 'never' ? new Promise(() => {}) : reply(200, { name: String(id) });
    },
  },
  verifiers: { bearerAuth: createTokenVerifier([process.env.TOKEN]) },
  render: createRenderer({ contract, renderError: ({ status, message }) => ({ error: status, message }) }),
  report: ({ status }) => console.log('reported', status),
  reportOverflow: () => console.log('cut after', begun),
});
const server = createServer(app).listen(0, '127.0.0.1', () => {
  console.log('port', server.address().port);
  if (process.argv.includes('--check')) server.close();
});
`;

function withVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string };
  return `${name}@${version}`;
}

const NEEDED = ['express', 'express-openapi-validator', 'js-yaml', '@types/express', '@types/node'].map(withVersion);
const AJV = withVersion('ajv');

function npmInstall(...args: readonly string[]): Promise<Ended> {
  return run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...args);
}

test('it is packed, and installed in an application, whose packages put nothing in the place of Ajv', async () => {
  await expect(npmInstall('@redocly/openapi-core')).resolves.toEqual(ok('added'));
  await expect(installPacked(folder, ['contract', 'server'], ...NEEDED)).resolves.toEqual(ok('added'));
  expect(findAjvs(folder)).toEqual(Array(3).fill(AJV));
  cpSync('packages/test-support/fixtures/things.yaml', join(folder, 'openapi.yaml'));
  cpSync('packages/server/tests/existing-app.ts', join(folder, 'existing-app.mts'));
  writeFileSync(join(folder, 'main.mjs'), MAIN);
});

test('an application that exists, on a server of node:http: exact, refused in the shape of the contract, bounded', async () => {
  const child = spawn(process.execPath, ['main.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const nextLine = async (): Promise<string> => String((await lines.next()).value);
    const port = Number((await nextLine()).replace('port ', ''));
    const url = `http://127.0.0.1:${String(port)}`;
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const post = async (body: string, sent: Record<string, string> = headers): Promise<[number, string]> => {
      const reply = await fetch(`${url}/things`, { method: 'POST', headers: sent, body });
      return [reply.status, await reply.text()];
    };
    await expect(post('{"id":9007199254740993,"name":"a"}')).resolves.toEqual([200, '{"name":"9007199254740993"}']);
    await expect(post('{"id":1.5,"name":"a"}')).resolves.toEqual([400, expect.stringContaining('"error":400')]);
    const anonymous = post('{}', { 'Content-Type': 'application/json' });
    await expect(anonymous).resolves.toEqual([401, expect.stringContaining('"error":401')]);
    await expect(fetch(`${url}/other`).then((reply) => reply.json())).resolves.toEqual({ other: true });
    for (const status of [200, 400, 401, 200]) expect(await nextLine()).toBe(`reported ${String(status)}`);

    const body = '{"id":1,"name":"never"}';
    const fields = Object.entries({ Host: 'a', ...headers, 'Content-Length': String(body.length) });
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.resume().write(`POST /things HTTP/1.1\r\n${head}\r\n${body}`.repeat(200));
    const cut = await nextLine();
    // One request before these had a handler.
    expect(Number(/^cut after (\d+)$/.exec(cut)?.[1])).toBeLessThanOrEqual(65);
    socket.destroy();
  } finally {
    child.kill('SIGKILL');
  }
});

test('it is required and imported, and its types are found', async () => {
  const required = `console.log(typeof require('@contract-kit/server').serveContract)`;
  await expect(run(folder, process.execPath, '-e', required)).resolves.toEqual(ok('function'));
  const imported = `import { serveContract } from '@contract-kit/server'; console.log(typeof serveContract);`;
  await expect(run(folder, process.execPath, '--input-type=module', '-e', imported)).resolves.toEqual(ok('function'));
  const options = ['--noEmit', '--strict', '--module', 'node20', '--skipLibCheck', '--types', 'node'];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  for (const name of ['existing-app.mts', 'existing-app.cts']) {
    cpSync('packages/server/tests/existing-app.ts', join(folder, name));
    await expect(run(folder, process.execPath, compiler, ...options, name)).resolves.toEqual({ status: 0, output: '' });
  }
});

test('what is no face of it cannot be imported', async () => {
  const inside = `require('@contract-kit/server/dist/pipeline/pipeline.js')`;
  const output = expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED') as string;
  await expect(run(folder, process.execPath, '-e', inside)).resolves.toMatchObject({ status: 1, output });
});

test('with a fork in the place of Ajv it does not start, and starts with what it tells to add to package.json', async () => {
  const start = (): Promise<Ended> => run(folder, process.execPath, 'main.mjs', '--check');
  const manifest = join(folder, 'package.json');
  await expect(start()).resolves.toEqual(ok('port'));

  // So npm takes no notice of peers.
  writeFileSync(join(folder, '.npmrc'), 'legacy-peer-deps=true\n');
  for (const name of ['package-lock.json', 'node_modules']) rmSync(join(folder, name), { recursive: true });
  await expect(npmInstall()).resolves.toEqual(ok('added'));
  const { status, output } = await start();
  const [, fork, told, json = ''] = /^ContractError: (\S+)@\S+ (.*)\n.*\n(\{[^]*?\n\})\n/m.exec(output) ?? [];
  const fault = `is installed in place of ${AJV}, and lets wrong values pass anyOf, oneOf, if.`;
  expect([status, fork, told]).toEqual([1, '@redocly/ajv', fault]);

  const { dependencies, overrides } = JSON.parse(json) as Record<string, object>;
  const own = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, object>;
  const merged = { ...own, dependencies: { ...own['dependencies'], ...dependencies }, overrides };
  writeFileSync(manifest, JSON.stringify(merged));
  await expect(npmInstall()).resolves.toEqual(ok('changed'));
  expect(findAjvs(folder)).toEqual(Array(3).fill(AJV));
  await expect(start()).resolves.toEqual(ok('port'));
});
