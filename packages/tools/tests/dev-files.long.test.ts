import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startDev } from './start-dev';

// Saves under `npm run dev` that are more than a changed file.

const CONTRACT = 'openapi.yaml';
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
    await dev.waitFor(new RegExp(`^(${name}/ does not exist), [^\n]*\n${KEEPS_RUNNING}`, 'm'));
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
  await dev.waitFor(new RegExp(`^(${CONTRACT} does not exist)\n${KEEPS_RUNNING}`, 'm'));
  mkdirSync(contract);
  const isFolder = dev.waitFor(new RegExp(`^${CONTRACT} is a (.*)\n${KEEPS_RUNNING}`, 'm'));
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
  const message = await dev.waitFor(new RegExp(`^(src/link .*)\n${KEEPS_RUNNING}`, 'm'));
  expect(message).toBe('src/link is a link to a folder that contains the project; remove it');
  rmSync(link);
  await dev.swapped();
});

test('a server that never ends loading is replaced as soon as its handler is saved again', async () => {
  await using dev = await startDev();
  await dev.url();
  const handler = 'src/handlers/create-plant.ts';
  dev.save(handler, (text) => `${text}console.log('loading');\nfor (;;);\n`);
  await dev.waitFor(/^(loading)$/m);
  dev.save(handler, (text) => text.replace('for (;;);', ''));
  await dev.swapped();
  expect(readFileSync(join(dev.folder, 'output'), 'utf8')).not.toContain('did not start');
});
