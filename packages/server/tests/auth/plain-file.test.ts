import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlainFile, statFile } from '../../src/auth/plain-file';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plain-'));
  path = join(folder, 'file');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a file has the state with which it was read', async () => {
  writeFileSync(path, 'text');
  const { text, file, version } = readPlainFile(path);
  expect([text, { file, version }]).toEqual(['text', await statFile(path)]);
});

test.each([
  [0o600, false],
  [0o664, false],
  [0o602, true],
])('with mode %o every user may change it: %s', (mode, isExposed) => {
  writeFileSync(path, 'text');
  chmodSync(path, mode);
  expect(readPlainFile(path).isExposed).toBe(isExposed);
});

test.each<[string, () => void]>([
  [
    'a folder',
    () => {
      mkdirSync(path);
    },
  ],
  [
    'a pipe that has no writer',
    () => {
      execFileSync('mkfifo', [path]);
    },
  ],
  [
    'a device',
    () => {
      path = '/dev/null';
    },
  ],
])('%s is not a file', async (_, create) => {
  create();
  expect(() => readPlainFile(path)).toThrow(/^is not a file$/);
  await expect(statFile(path)).resolves.toMatchObject({ file: undefined });
});

test('a socket is not a file', async () => {
  const server = createServer();
  await once(server.listen(path), 'listening');
  expect(() => readPlainFile(path)).toThrow(/^is not a file$/);
  server.close();
  await once(server, 'close');
});

test('what cannot be read says why', async () => {
  expect(() => readPlainFile(path)).toThrow(/^cannot be read: ENOENT/);
  await expect(statFile(path)).resolves.toEqual({
    file: undefined,
    version: expect.stringMatching(/^ENOENT/) as string,
  });
});
