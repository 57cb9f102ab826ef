import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expectProblem, LAVENDER } from './start-nursery';

const KEY = 'a-key-of-16-or-more';
const TOKEN = 'a-token-of-16-or-more';

const folder = mkdtempSync(join(tmpdir(), 'nursery-'));
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill();
    await once(child, 'close');
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Starts the compiled service. @returns its URL, and what it printed on standard error */
async function start(env: Readonly<Record<string, string>>): Promise<{ url: string; printed: () => string }> {
  const child = spawn(process.execPath, [resolve('dist/main.js')], {
    cwd: folder,
    env: { PORT: '0', ADMIN_PORT: '0', ...env },
  });
  running.push(child);
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    stdout += String(text);
    const [, url] = /"url":"(http:[^"]+)".*"msg":"listening"/.exec(stdout) ?? [];
    if (url !== undefined) {
      child.stdout.resume();
      return { url, printed: () => stderr };
    }
  }
  throw new Error(`it did not start: ${stdout}${stderr}`);
}

function post(url: string, path: string, body: object, headers: Readonly<Record<string, string>>): Promise<Response> {
  const options = { method: 'POST', body: JSON.stringify(body) };
  return fetch(url + path, { ...options, headers: { 'Content-Type': 'application/json', ...headers } });
}

test('the line that it prints adds a plant, which is where Location says', async () => {
  const { url, printed } = await start({});
  while (!printed().includes('curl ')) await once(running[0]?.stderr ?? process.stderr, 'data');
  const [, line] = /(curl .*)/.exec(printed()) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', String(line)]);
  expect(stdout).toMatch(/^HTTP\/1.1 201/);
  const [, location] = /^Location: (.*)\r$/im.exec(stdout) ?? [];
  const read = await fetch(new URL(String(location), `${url}/plants`));
  expect(new URL(read.url).pathname).toMatch(/^\/v1\/plants\//);
  expect(await read.json()).toMatchObject({ name: 'Lavender' });
});

test('an account needs the scope for what it does, and a till its key', async () => {
  const gardener = await start({ API_TOKENS: TOKEN, API_TOKENS_SCOPES: 'catalogue:write' });
  const seller = await start({ API_TOKENS: TOKEN, API_TOKENS_SCOPES: 'stock:reserve', TILL_KEYS: KEY });
  const account = { Authorization: `Bearer ${TOKEN}` };
  const { id } = (await (await post(gardener.url, '/plants', LAVENDER, account)).json()) as { id: string };
  const reservations = `/plants/${id}/reservations`;

  const refused = await post(seller.url, '/plants', LAVENDER, account);
  expect(refused.headers.get('WWW-Authenticate')).toContain('error="insufficient_scope"');
  await expectProblem(refused, 403);
  await expectProblem(await post(gardener.url, reservations, { quantity: 1 }, account), 403);
  expect((await post(seller.url, reservations, { quantity: 1 }, account)).status).toBe(201);
  expect((await post(seller.url, reservations, { quantity: 1 }, { 'X-Till-Key': KEY })).status).toBe(201);
  // A key of a till is no account, nor an account's token a key.
  await expectProblem(await post(seller.url, '/plants', LAVENDER, { 'X-Till-Key': KEY }), 401);
  await expectProblem(await post(seller.url, reservations, { quantity: 1 }, { 'X-Till-Key': TOKEN }), 401);
});

test('settings that cannot be used are told all at once', async () => {
  const env = { TILL_KEYS: 'short', SOLD_OUT_URL: 'office', DATABASE_URL: 'mysql:' };
  const child = execFile(process.execPath, [resolve('dist/main.js')], { env });
  let printed = '';
  child.stderr?.on('data', (text: string) => (printed += text));
  const [status] = (await once(child, 'close')) as [number];
  expect(status).toBe(1);
  for (const name of Object.keys(env)) expect(printed).toContain(`- ${name} `);
});
