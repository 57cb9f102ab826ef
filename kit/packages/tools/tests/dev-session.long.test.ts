import {
  readFileSync,
  rmSync,
  writeFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fetchPatiently, LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { startDev, type RunningDev } from './start-dev';

// What the one who sits before `npm run dev` sees of it from save to save.

const HANDLER = 'src/handlers/create-plant.ts';
const CONTRACT = 'openapi.yaml';
const MARK = 'X-Contract-Kit-Sample';

function readOutput(dev: RunningDev): string {
  return readFileSync(join(dev.folder, 'output'), 'utf8');
}

function create(url: string, token = 'a-token-for-the-tests'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetchPatiently(`${url}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Rose"}' });
}

async function post(url: string, token?: string): Promise<number> {
  return (await create(url, token)).status;
}

test('dev prints a line before the first server starts, and one token that all servers accept', async () => {
  await using dev = await startDev({ env: { API_TOKENS: undefined } });
  const url = await dev.url();
  expect(readOutput(dev)).toMatch(/^dev: starting/);
  const [, token] = /TOKEN=([\w-]{43})\n/.exec(readOutput(dev)) ?? [];
  await expect(post(url, token)).resolves.toBe(200);
  dev.save(HANDLER, (text) => `${text}// Saved.\n`);
  await dev.swapped();
  await expect(post(url, token)).resolves.toBe(200);
  await expect(post(url, 'x'.repeat(43))).resolves.toBe(401);
  expect(readOutput(dev).match(/TOKEN=/g)).toHaveLength(1);
});

test('dev prints nothing about a good save but how long it took, and a repeated error only once', async () => {
  const prepare = (folder: string): void => {
    const text = readFileSync(join(folder, CONTRACT), 'utf8');
    const listPlants = `    get: { operationId: listPlants, responses: { '204': { description: Some. } } }\n`;
    writeFileSync(join(folder, CONTRACT), text.replace('  /plants:\n', `  /plants:\n${listPlants}`));
  };
  await using dev = await startDev({ prepare });
  await dev.url();
  dev.save(CONTRACT, (text) => `# A line.\n${text}`);
  await dev.waitFor(/^(dev): restarted in/m);
  // Without what servers log at the level debug.
  const [, ...lines] = readOutput(dev)
    .replaceAll(/^\{"level":20.*\n/gm, '')
    .split(/^(?=dev: wrote contract\.js)/m);
  expect(lines).toEqual([expect.stringMatching(/^dev: wrote contract\.js in generated\/\ndev: restarted in .*\n$/)]);
  dev.save(HANDLER, (text) => text.replace('reply(200, plant)', 'reply(201, plant)'));
  await dev.waitFor(/(not assignable)[^]*keeps running\n/);
  dev.save('src/notes.ts', () => 'export {};\n');
  await dev.waitFor(/^dev: (the errors are the same as before)\ndev: the previous server keeps running\n/m);
  expect(readOutput(dev).match(/not assignable/g)).toHaveLength(1);
});

test('the stack of an error has the place in the TypeScript source', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const text = readFileSync(join(dev.folder, HANDLER), 'utf8');
  const line = text.split('\n').findIndex((one) => one.includes('return reply')) + 1;
  dev.save(HANDLER, () => text.replace(/return reply.*/, `throw new Error('a bug');`));
  await dev.swapped();
  await expect(post(url)).resolves.toBe(500);
  const place = await dev.waitFor(/"cause":"Error: a bug\\n {4}at [^(]*\((.*?)\)/);
  expect(place).toContain(`${HANDLER}:${String(line)}:`);
});

test('only dev answers an operation that is not built with a sample', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  dev.save(
    HANDLER,
    () => `import { notBuilt } from '@contract-kit/server';
import type { Handler } from '../../generated/handlers';

export const createPlant: Handler<'createPlant'> = () => notBuilt('createPlant');
`,
  );
  await dev.swapped();
  const reply = await create(url);
  expect([reply.status, reply.headers.get(MARK)]).toEqual([200, 'true']);
  expect(Object.keys((await reply.json()) as object)).toEqual(['name', 'tag']);

  const developing = { API_TOKENS: 'a-token-for-the-tests', DEV_TOKEN: 'x'.repeat(43), NODE_ENV: 'development' };
  using service = startProcess(developing, [], { main: join(dev.folder, 'dist/main.js') });
  const [, own = ''] = await service.waitFor(LISTENING);
  const refusal = await create(own);
  expect([refusal.status, refusal.headers.get(MARK)]).toEqual([503, null]);
});

test('a server that does not start or never becomes ready does not replace the running one', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const service = readFileSync(join(dev.folder, 'src/service.ts'), 'utf8');
  const saveOpening = (open: string): void => {
    dev.save('src/service.ts', () =>
      service.replace(/open: \(\) => (.*),\n/, `open: () => (process.pid > 0 ? ${open} : $1),\n`),
    );
  };
  saveOpening(`Promise.reject(new Error('no lamp'))`);
  await dev.waitFor(
    /error: the new server did not start\n {2}Error: (no lamp)\n +at [^]*src\/service\.ts:\d+:\d+[^]*\ndev: the previous server keeps running\n/,
  );
  await expect(post(url)).resolves.toBe(200);
  saveOpening(`new Promise<never>(() => { console.log('asleep'); })`);
  await dev.waitFor(/^(asleep)$/m);
  await expect(post(url)).resolves.toBe(200);
  dev.save('src/service.ts', () => service);
  await dev.swapped();
  await expect(post(url)).resolves.toBe(200);
});

test('dev reports no error if the contract changes while a server starts', async () => {
  // Types that only the new contract has, before the first start.
  const prepare = (folder: string): void => {
    const text = readFileSync(join(folder, CONTRACT), 'utf8');
    writeFileSync(join(folder, CONTRACT), text.replaceAll('BadRequest', 'Refusal'));
    rmSync(join(folder, 'generated'), { recursive: true });
  };
  await using dev = await startDev({ prepare });
  await dev.url();

  // The contract is saved while a server starts that was made for the one before.
  const hold = join(dev.folder, 'hold');
  writeFileSync(hold, '');
  dev.save('src/hold.ts', () =>
    [
      `import { existsSync } from 'node:fs';`,
      `if (existsSync('hold')) console.log('held');`,
      `while (existsSync('hold')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`,
    ].join('\n'),
  );
  dev.save('src/app.ts', (text) => `import './hold';\n${text}`);
  await dev.waitFor(/^(held)$/m);
  dev.save(CONTRACT, (text) => `${text}# A comment.\n`);
  rmSync(hold);
  await dev.waitFor(/dev: wrote (contract\.js) in generated\/\n/);
  await dev.swapped();
  expect(readOutput(dev)).not.toMatch(/generated\/ was made|did not start|keeps running|no server/);
});

// Saves under `npm run dev` that are more than a changed file.

const KEEPS_RUNNING = 'dev: the previous server keeps running\n';

test('dev still sees saves after src/ and generated/ were removed and created again', async () => {
  await using dev = await startDev();
  await dev.url();
  for (const name of ['src', 'generated']) {
    const [folder, copy] = [join(dev.folder, name), join(dev.folder, `${name}-copy`)];
    cpSync(folder, copy, { recursive: true });
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    await dev.swapped();
  }
  dev.save('src/app.ts', (text) => `${text}// Saved.\n`);
  await dev.swapped();
  dev.save('generated/api.d.ts', () => 'export {};\n');
  await expect(dev.waitFor(/^dev: wrote (.*) in generated\/\n/m)).resolves.toBe('api.d.ts');
});

test('dev writes nothing into a folder that is moved away, and goes on when it is back', async () => {
  await using dev = await startDev();
  await dev.url();
  for (const name of ['src', 'src/handlers']) {
    const [folder, away] = [join(dev.folder, name), join(dev.folder, 'away')];
    const files = readdirSync(folder);
    renameSync(folder, away);
    await dev.waitFor(new RegExp(`^error: (${name}/ does not exist), [^\n]*\n${KEEPS_RUNNING}`, 'm'));
    expect(existsSync(folder)).toBe(false);
    renameSync(away, folder);
    await dev.swapped();
    expect(readdirSync(folder)).toEqual(files);
  }
});

test('dev says that the contract was removed, or replaced by a folder, and goes on when it is back', async () => {
  await using dev = await startDev();
  await dev.url();
  const [contract, away] = [join(dev.folder, CONTRACT), join(dev.folder, 'away')];
  renameSync(contract, away);
  await dev.waitFor(new RegExp(`^error: (${CONTRACT} does not exist)\n${KEEPS_RUNNING}`, 'm'));
  mkdirSync(contract);
  const isFolder = dev.waitFor(new RegExp(`^error: ${CONTRACT} is a (.*)\n${KEEPS_RUNNING}`, 'm'));
  await expect(isFolder).resolves.toBe('folder, and not a file');
  rmSync(contract, { recursive: true });
  renameSync(away, contract);
  await dev.swapped();
});

test('dev compiles beside a link to a folder around it, and refuses a link to a folder around the project', async () => {
  await using dev = await startDev();
  await dev.url();
  const link = join(dev.folder, 'src/link');
  symlinkSync('../src', link);
  dev.save('src/app.ts', (text) => `${text}// Saved.\n`);
  await dev.swapped();
  rmSync(link);
  symlinkSync('/', link);
  const message = await dev.waitFor(new RegExp(`^error: (src/link .*)\n${KEEPS_RUNNING}`, 'm'));
  expect(message).toBe('src/link is a link to a folder that contains the project; remove it');
  rmSync(link);
  await dev.swapped();
});

test('a server that never ends loading is replaced as soon as its handler is saved again', async () => {
  await using dev = await startDev();
  await dev.url();
  dev.save(HANDLER, (text) => `${text}console.log('loading');\nfor (;;);\n`);
  await dev.waitFor(/^(loading)$/m);
  dev.save(HANDLER, (text) => text.replace('for (;;);', ''));
  await dev.swapped();
  expect(readOutput(dev)).not.toContain('did not start');
});
