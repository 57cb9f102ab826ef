import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBearerVerifier } from '../../src/auth/bearer-verifier';
import { parseConfig } from '../../src/config';
import { createMemoryLog } from './memory-log';

const KEPT = '; its last tokens still count';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens');
  writeFileSync(path, 'one-of-the-tokens\ntwo-of-the-tokens\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function wait(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}

/** A verifier of what is in the file, and of one token that is not. */
function watch() {
  const log = createMemoryLog();
  const { tokensFile } = parseConfig(() => undefined, { API_TOKENS_FILE: path }).identity;
  const bearer = createBearerVerifier({ tokens: ['fixed-of-the-tokens'], tokensFile }, log);
  const counting = (): string[] =>
    ['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens'].filter(
      (token) => bearer.verify(token) !== undefined,
    );
  return { lines: log.lines, counting, [Symbol.dispose]: bearer.close };
}

/** What counts when it is as expected; a second is enough where nothing else keeps the processor busy. */
async function eventually(watched: ReturnType<typeof watch>, expected: readonly string[]): Promise<void> {
  const start = performance.now();
  while (watched.counting().join() !== expected.join() && performance.now() - start < 10_000) await wait(20);
  expect(watched.counting()).toEqual(expected);
}

const CHANGES: [string, () => void][] = [
  [
    'rewritten',
    () => {
      writeFileSync(path, 'three-of-the-tokens\ntwo-of-the-tokens\n');
    },
  ],
  [
    'replaced by renaming',
    () => {
      writeFileSync(`${path}.new`, 'three-of-the-tokens\ntwo-of-the-tokens\n');
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'replaced by one as old and as long',
    () => {
      writeFileSync(path, 'one-of-the-tokens\ntwo-of-the-tokens');
      utimesSync(path, 1, 1);
      writeFileSync(`${path}.new`, 'three-of-the-tokens\ntwo-of-the-tokens');
      utimesSync(`${path}.new`, 1, 1);
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'removed and made again',
    () => {
      unlinkSync(path);
      setTimeout(() => {
        writeFileSync(path, 'two-of-the-tokens\nthree-of-the-tokens\n');
      }, 20);
    },
  ],
];

test.each(CHANGES)('within a second a file counts that was %s', async (_, change) => {
  using watched = watch();
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens']);
  await wait(600);
  change();
  await eventually(watched, ['fixed-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens']);
  expect(watched.lines).toEqual([]);
});

test('links are followed that are swapped as Kubernetes does', async () => {
  unlinkSync(path);
  for (const version of ['1', '2']) mkdirSync(join(folder, version));
  writeFileSync(join(folder, '1/tokens'), 'one-of-the-tokens');
  writeFileSync(join(folder, '2/tokens'), 'two-of-the-tokens');
  symlinkSync('1', join(folder, '..data'));
  symlinkSync('..data/tokens', path);
  using watched = watch();
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'one-of-the-tokens']);
  symlinkSync('2', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  rmSync(join(folder, '1'), { recursive: true });
  await eventually(watched, ['fixed-of-the-tokens', 'two-of-the-tokens']);
});

test.each<[string, () => void, string]>([
  [
    'missing',
    () => {
      unlinkSync(path);
    },
    'cannot be read: ENOENT',
  ],
  [
    'empty',
    () => {
      writeFileSync(path, '');
    },
    'is set but holds no token',
  ],
  [
    'malformed',
    () => {
      writeFileSync(path, 'three-of-the-tokens\nse cret\n');
    },
    'has a token (number 2) with a character',
  ],
  [
    'a folder',
    () => {
      unlinkSync(path);
      mkdirSync(path);
    },
    'is not a file',
  ],
  [
    'a pipe',
    () => {
      unlinkSync(path);
      execFileSync('mkfifo', [path]);
    },
    'is not a file',
  ],
])('a file that is %s changes nothing, is told once, and may be mended', async (_, spoil, warning) => {
  using watched = watch();
  spoil();
  await wait(1_500);
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens']);
  expect(watched.lines).toEqual([expect.stringContaining(`warn API_TOKENS_FILE ${warning}`)]);
  expect(watched.lines.join()).not.toContain('cret');
  expect(watched.lines.join()).toContain(KEPT);
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, 'three-of-the-tokens\n');
  await eventually(watched, ['fixed-of-the-tokens', 'three-of-the-tokens']);
  expect(watched.lines.slice(1)).toEqual(['info API_TOKENS_FILE is in use again']);
});

test('each mistake is told', async () => {
  using watched = watch();
  for (const text of ['', 'a b\n', 'a c\n']) {
    writeFileSync(path, text);
    await wait(800);
  }
  expect(watched.lines.map((line) => line.replace(/ with .*$/, ''))).toEqual([
    `warn API_TOKENS_FILE is set but holds no token${KEPT}`,
    'warn API_TOKENS_FILE has a token (number 1)',
    'warn API_TOKENS_FILE has a token (number 1)',
  ]);
});

test('what is closed reads no more', async () => {
  const watched = watch();
  watched[Symbol.dispose]();
  const during = watch();
  await wait(250);
  during[Symbol.dispose]();
  writeFileSync(path, 'three-of-the-tokens\n');
  await wait(1_000);
  expect([watched.counting(), during.counting()]).toEqual([
    ['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens'],
    ['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens'],
  ]);
});
