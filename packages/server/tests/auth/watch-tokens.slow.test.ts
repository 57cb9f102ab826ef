import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBearerVerifier } from '../../src/auth/bearer-verifier';
import { parseConfig } from '../../src/process/config';
import { holdClock, type HeldClock } from '../../../../tests/support/hold-clock';
import { until } from '../../../../tests/support/until';
import { createMemoryLog } from './memory-log';

const KEPT = '; its last tokens still count';

let folder: string;
let path: string;
let clock: HeldClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens');
  writeFileSync(path, 'one-of-the-tokens\ntwo-of-the-tokens\n');
  clock = holdClock('setTimeout', 'clearTimeout');
});
afterEach(() => {
  clock[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Writes the file, so that another time of change is seen however coarse the clock of the file system is. */
function write(text: string): void {
  const before = statSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
  do writeFileSync(path, text);
  while (statSync(path, { bigint: true }).ctimeNs === before);
}

const INTERVAL = 250;

/** Lets the file be looked at so many times, which takes so many quarters of a second. */
async function look(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    clock.pass(INTERVAL);
    // It is looked at again after an interval when this look is over.
    await until(() => clock.countTimers() > 0);
  }
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

const CHANGES: [string, () => void | Promise<void>][] = [
  [
    'rewritten',
    () => {
      write('three-of-the-tokens\ntwo-of-the-tokens\n');
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
    async () => {
      unlinkSync(path);
      await look(1);
      write('two-of-the-tokens\nthree-of-the-tokens\n');
    },
  ],
];

test.each(CHANGES)('within a second a file counts that was %s', async (_, change) => {
  using watched = watch();
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens']);
  await look(2);
  await change();
  await look(4);
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens']);
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
  await look(4);
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'two-of-the-tokens']);
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
      write('');
    },
    'is set but holds no token',
  ],
  [
    'malformed',
    () => {
      write('three-of-the-tokens\nse cret\n');
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
  await look(6);
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens']);
  expect(watched.lines).toEqual([expect.stringContaining(`warn API_TOKENS_FILE ${warning}`)]);
  expect(watched.lines.join()).not.toContain('cret');
  expect(watched.lines.join()).toContain(KEPT);
  rmSync(path, { recursive: true, force: true });
  write('three-of-the-tokens\n');
  await look(4);
  expect(watched.counting()).toEqual(['fixed-of-the-tokens', 'three-of-the-tokens']);
  expect(watched.lines.slice(1)).toEqual(['info API_TOKENS_FILE is in use again']);
});

test('each mistake is told', async () => {
  using watched = watch();
  for (const text of ['', 'a b\n', 'a c\n']) {
    write(text);
    await look(3);
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
  expect(clock.countTimers()).toBe(0);
  const during = watch();
  clock.pass(INTERVAL);
  // It is being looked at.
  during[Symbol.dispose]();
  write('three-of-the-tokens\n');
  await settle();
  expect(clock.countTimers()).toBe(0);
  expect([watched.counting(), during.counting()]).toEqual([
    ['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens'],
    ['fixed-of-the-tokens', 'one-of-the-tokens', 'two-of-the-tokens'],
  ]);
});

/** As many reads of the file as a look has are over: the system has several threads for them. */
async function settle(): Promise<void> {
  for (let time = 0; time < 20; time++) await stat(path);
}
