import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBearerVerifier } from '../../src/auth/bearer-verifier';
import type { TokensFile } from '../../src/auth/watch-tokens';
import { parseTokensFile } from '../../src/process/token-settings';
import { until } from '../../../../tests/support/until';
import { createMemoryLog } from './memory-log';

const OLD = 'the-token-of-the-old-file';
const NEW = 'the-token-of-the-new-file';
// Long enough for a token.
const PIECE = NEW.slice(0, 20);
const NO_NEWLINE =
  'warn API_TOKENS_FILE has no newline at its end, so that it may be half written; its last tokens still count';
const AGAIN = 'info API_TOKENS_FILE is in use again';
const EXPOSED = 'warn API_TOKENS_FILE can be changed by every user of this machine; chmod o-w ends that';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** @param read instead of what reads the file */
function watch(read?: TokensFile['read']) {
  const log = createMemoryLog();
  const tokensFile = parseTokensFile(path);
  const bearer = createBearerVerifier({ tokens: [], tokensFile: { ...tokensFile, ...(read && { read }) } }, log);
  const counting = (): string[] => [OLD, NEW, PIECE].filter((token) => bearer.verify(token) !== undefined);
  return { lines: log.lines, counting, [Symbol.dispose]: bearer.close };
}

test('a piece of a token does not count where a file is rewritten in place', async () => {
  writeFileSync(path, `${OLD}\n`);
  using watched = watch();
  writeFileSync(path, PIECE);
  await until(() => watched.lines.length > 0);
  expect([watched.counting(), watched.lines]).toEqual([[OLD], [NO_NEWLINE]]);
  appendFileSync(path, NEW.slice(PIECE.length));
  await until(() => watched.lines.length > 1);
  expect([watched.counting(), watched.lines]).toEqual([[OLD], [NO_NEWLINE, NO_NEWLINE]]);
  appendFileSync(path, '\n');
  await until(() => watched.lines.length > 2);
  expect([watched.counting(), watched.lines]).toEqual([[NEW], [NO_NEWLINE, NO_NEWLINE, AGAIN]]);
});

test('nor where a file is written that was missing', async () => {
  writeFileSync(path, `${OLD}\n`);
  using watched = watch();
  unlinkSync(path);
  await until(() => watched.lines.length > 0);
  writeFileSync(path, PIECE);
  await until(() => watched.lines.length > 1);
  expect([watched.counting(), watched.lines[1]]).toEqual([[OLD], NO_NEWLINE]);
});

test('nor where it is written between a look at the file and its reading', async () => {
  writeFileSync(path, `${OLD}\n`);
  let reads = 0;
  using watched = watch((...asked) => {
    if (reads++ === 0) writeFileSync(path, PIECE);
    return parseTokensFile(path).read(...asked);
  });
  writeFileSync(`${path}.new`, NEW);
  renameSync(`${path}.new`, path);
  await until(() => watched.lines.length > 0);
  expect([watched.counting(), watched.lines]).toEqual([[OLD], [NO_NEWLINE]]);
});

test('a file that took the place of another one is whole without a newline, and so is one at the start', async () => {
  writeFileSync(path, OLD);
  using watched = watch();
  expect(watched.counting()).toEqual([OLD]);
  writeFileSync(`${path}.new`, NEW);
  renameSync(`${path}.new`, path);
  await until(() => watched.counting().join() !== OLD);
  expect([watched.counting(), watched.lines]).toEqual([[NEW], []]);
  writeFileSync(path, PIECE);
  await until(() => watched.lines.length > 0);
  expect([watched.counting(), watched.lines]).toEqual([[NEW], [NO_NEWLINE]]);
});

test('and so is one behind a link that is swapped', async () => {
  for (const [version, token] of [OLD, NEW].entries()) {
    mkdirSync(join(folder, String(version)));
    writeFileSync(join(folder, String(version), 'tokens'), token);
  }
  symlinkSync('0', join(folder, '..data'));
  symlinkSync('..data/tokens', path);
  using watched = watch();
  symlinkSync('1', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  await until(() => watched.counting().join() !== OLD);
  expect([watched.counting(), watched.lines]).toEqual([[NEW], []]);
});

test('a file that every user may change is warned of, at the start and when it changes', async () => {
  writeFileSync(path, `${OLD}\n`);
  chmodSync(path, 0o666);
  using watched = watch();
  expect(watched.lines).toEqual([EXPOSED]);
  chmodSync(path, 0o600);
  writeFileSync(path, `${NEW}\n`);
  await until(() => watched.counting().join() === NEW);
  expect(watched.lines).toEqual([EXPOSED]);
  chmodSync(path, 0o602);
  await until(() => watched.lines.length > 1);
  expect(watched.lines).toEqual([EXPOSED, EXPOSED]);
});
