import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createHook } from 'node:async_hooks';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventEmitter, once } from 'node:events';
import { createBearerVerifier } from '../../src/auth/bearer-verifier';
import { readPlainFile } from '../../src/auth/tokens';
import { parseConfig } from '../../src/runtime/config';
import { holdClock, type HeldClock } from '@contract-kit/test-support/hold-clock';
import { until } from '@contract-kit/test-support/until';
import { createMemoryLog } from './start-jwt-app';

const KEPT = '; the tokens that were read before stay valid';
const NO_NEWLINE = `warn API_TOKENS_FILE does not end with a newline, so it may be incomplete${KEPT}`;
const describeRead = (count: number): string => `info API_TOKENS_FILE was read again; tokens in use: ${String(count)}`;
const FIXED = 'fixed-of-the-tokens';
const [ONE, TWO, THREE] = ['one-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens'] as const;
const EXPOSED = 'warn every user of this machine can change API_TOKENS_FILE: run chmod o-w on it';
// Long enough for a token.
const PIECE = 'three-of-the-tok';

let folder: string;
let path: string;
let clock: HeldClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens');
  writeFileSync(path, 'one-of-the-tokens\ntwo-of-the-tokens\n');
  clock = holdClock('setInterval', 'clearInterval');
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

/** Puts another file into the place of the file. */
function replace(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Lets the file be looked at so many times, every two seconds. */
async function look(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const looks = new Set<number>();
    const over = new EventEmitter();
    const init = (id: number, type: string): void => {
      if (type === 'FSREQCALLBACK') looks.add(id);
    };
    const after = (id: number): void => {
      if (looks.delete(id)) over.emit('look');
    };
    const hook = createHook({ init, after }).enable();
    clock.pass(2_000);
    if (looks.size > 0) await once(over, 'look');
    hook.disable();
  }
}

/** A verifier of what is in the file, and of one token that is not. */
function watch() {
  const log = createMemoryLog();
  const { tokensFile } = parseConfig(() => undefined, { API_TOKENS_FILE: path }).identity;
  const bearer = createBearerVerifier({ tokens: ['fixed-of-the-tokens'], tokensFile }, log);
  const counting = (): string[] =>
    [FIXED, ONE, TWO, THREE, PIECE].filter((token) => bearer.verify(token) !== undefined);
  return { lines: log.lines, counting, readTokensFile: bearer.readTokensFile, [Symbol.dispose]: bearer.close };
}

test.each<[string, () => void | Promise<void>]>([
  ['rewritten', write.bind(undefined, `${THREE}\n${TWO}\n`)],
  ['replaced by renaming', replace.bind(undefined, `${THREE}\n${TWO}\n`)],
  [
    'replaced by one as old and as long',
    () => {
      writeFileSync(path, `${ONE}\n${TWO}`);
      utimesSync(path, 1, 1);
      writeFileSync(`${path}.new`, `${THREE}\n${TWO}`);
      utimesSync(`${path}.new`, 1, 1);
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'removed and made again',
    async () => {
      unlinkSync(path);
      await look(1);
      write(`${TWO}\n${THREE}\n`);
    },
  ],
])('the file counts at the second look after it was %s', async (_, change) => {
  using watched = watch();
  expect(watched.counting()).toEqual([FIXED, ONE, TWO]);
  await look(2);
  await change();
  await look(2);
  expect([watched.counting(), watched.lines]).toEqual([[FIXED, TWO, THREE], [describeRead(2)]]);
});

test('links are followed that are swapped as Kubernetes does', async () => {
  unlinkSync(path);
  for (const version of ['1', '2']) mkdirSync(join(folder, version));
  writeFileSync(join(folder, '1/tokens'), ONE);
  writeFileSync(join(folder, '2/tokens'), TWO);
  symlinkSync('1', join(folder, '..data'));
  symlinkSync('..data/tokens', path);
  using watched = watch();
  expect(watched.counting()).toEqual([FIXED, ONE]);
  symlinkSync('2', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  rmSync(join(folder, '1'), { recursive: true });
  await look(2);
  expect(watched.counting()).toEqual([FIXED, TWO]);
});

/** Puts something else into the place of the file. */
const putThere = (create: (name: string) => unknown) => (): void => {
  unlinkSync(path);
  create(path);
};

test.each<[string, string, () => void]>([
  ['missing', 'cannot be read: ENOENT', putThere(() => undefined)],
  ['empty', 'is set, but has no token', write.bind(undefined, '')],
  ['malformed', 'has a token (number 2) with a character', write.bind(undefined, `${THREE}\nse cret\n`)],
  ['a folder', 'is not a file', putThere(mkdirSync)],
  ['a pipe', 'is not a file', putThere((name) => execFileSync('mkfifo', [name]))],
])('a file that is %s changes nothing, is told once, and may be mended', async (_, warning, spoil) => {
  using watched = watch();
  spoil();
  await look(6);
  expect(watched.counting()).toEqual([FIXED, ONE, TWO]);
  expect(watched.lines).toEqual([expect.stringContaining(`warn API_TOKENS_FILE ${warning}`)]);
  expect(watched.lines.join()).not.toContain('cret');
  expect(watched.lines.join()).toContain(KEPT);
  rmSync(path, { recursive: true, force: true });
  write(`${THREE}\n`);
  await look(2);
  expect(watched.counting()).toEqual([FIXED, THREE]);
  expect(watched.lines.slice(1)).toEqual([describeRead(1)]);
});

describe('a piece of a token does not count', () => {
  const OLD = [FIXED, ONE, TWO];

  test('where the file is rewritten in place', async () => {
    using watched = watch();
    write(PIECE);
    await look(2);
    expect([watched.counting(), watched.lines]).toEqual([OLD, [NO_NEWLINE]]);
    appendFileSync(path, 'ens');
    await look(2);
    expect([watched.counting(), watched.lines]).toEqual([OLD, [NO_NEWLINE]]);
    appendFileSync(path, '\n');
    await look(2);
    expect(watched.counting()).toEqual([FIXED, THREE]);
    expect(watched.lines).toEqual([NO_NEWLINE, describeRead(1)]);
  });

  test('where a file is written that was missing', async () => {
    using watched = watch();
    unlinkSync(path);
    await look(2);
    write(PIECE);
    await look(2);
    expect([watched.counting(), watched.lines[1]]).toEqual([OLD, NO_NEWLINE]);
  });

  test('where it is written while the file is looked at', async () => {
    using watched = watch();
    replace(THREE);
    await look(1);
    clock.pass(2_000);
    write(PIECE);
    await look(3);
    expect([watched.counting(), watched.lines]).toEqual([OLD, [NO_NEWLINE]]);
  });

  test('where it is written more slowly than the file is looked at', async () => {
    using watched = watch();
    write(`${THREE}\n`);
    for (let time = 0; time < 3; time++) {
      await look(1);
      expect(watched.counting()).toEqual(OLD);
      write(`three-of-the-tokens\n${'x'.repeat(time)}`);
    }
  });
});

test('a file without a newline is whole at the start, and when it took the place of another one', async () => {
  write(ONE);
  using watched = watch();
  expect(watched.counting()).toEqual([FIXED, ONE]);
  replace(THREE);
  await look(1);
  // This changes ctime, but writes nothing.
  chmodSync(path, 0o600);
  await look(2);
  expect([watched.counting(), watched.lines]).toEqual([[FIXED, THREE], [describeRead(1)]]);
  write(PIECE);
  await look(2);
  expect([watched.counting(), watched.lines]).toEqual([
    [FIXED, THREE],
    [describeRead(1), NO_NEWLINE],
  ]);
});

test('a file that is read on demand counts at once, unless it was rewritten without a newline at its end', async () => {
  write(ONE);
  using watched = watch();
  async function read(line: string, ...tokens: string[]): Promise<void> {
    const before = watched.lines.length;
    watched.readTokensFile();
    await until(() => watched.lines.length > before);
    expect([watched.counting(), watched.lines.slice(before)]).toEqual([[FIXED, ...tokens], [line]]);
  }
  await read(describeRead(1), ONE);
  write(PIECE);
  await read(NO_NEWLINE, ONE);
  await look(2);
  await read(NO_NEWLINE, ONE);
  write(`${TWO}\n`);
  await read(describeRead(1), TWO);
  replace(THREE);
  await read(describeRead(1), THREE);
  await look(2);
  await read(describeRead(1), THREE);
});

test('a file that every user may change is warned of, at the start and when it changes', async () => {
  chmodSync(path, 0o666);
  using watched = watch();
  expect(watched.lines).toEqual([EXPOSED]);
  chmodSync(path, 0o664);
  write(`${THREE}\n`);
  await look(2);
  expect([watched.counting(), watched.lines]).toEqual([
    [FIXED, THREE],
    [EXPOSED, describeRead(1)],
  ]);
  chmodSync(path, 0o602);
  await look(2);
  expect(watched.lines).toEqual([EXPOSED, describeRead(1), describeRead(1), EXPOSED]);
});

test('what is closed reads no more', () => {
  const watched = watch();
  watched[Symbol.dispose]();
  expect(clock.countTimers()).toBe(0);
});

test('a socket as the file of tokens stops the start', async () => {
  const server = createServer();
  await once(server.listen(join(folder, 'socket')), 'listening');
  expect(() => readPlainFile(join(folder, 'socket'))).toThrow(/^is not a file$/);
  server.close();
  await once(server, 'close');
});
