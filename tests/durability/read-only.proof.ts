import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { record } from './results';
import { spawnService, startService } from './service';

const PROOF = 'SQLite, read-only folder';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

// Root may write anywhere, so that the service has to be somebody else. Its threads cannot say who they are.
const DROP = `import { isMainThread } from 'node:worker_threads';
  if (isMainThread) { process.setgroups([]); process.setgid(${String(NOBODY)}); process.setuid(${String(NOBODY)}); }`;
const NODE_ARGS = isRoot ? ['--import', `data:text/javascript,${encodeURIComponent(DROP)}`] : [];

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-only-'));
  file = join(folder, 'plants.db');
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

function canRun(): boolean {
  if (!isRoot) return true;
  const code = `require(${JSON.stringify(resolve('packages/server/dist/runtime/config.js'))})`;
  return spawnSync(process.execPath, ['--eval', code], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0;
}

async function expectRefusal(): Promise<void> {
  chmodSync(folder, 0o555);
  using service = spawnService(`file:${file}`, NODE_ARGS);
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stdout).toBe('');
  expect(service.output.stderr).toMatch(
    /^The plant store cannot start:\nthe database \S+plants\.db cannot be used: .*\n$/,
  );
}

test(PROOF, async () => {
  if (!canRun()) {
    record({ proof: PROOF, note: 'did not run: nobody but root can read this folder' });
    return;
  }
  await expectRefusal();
  expect(readdirSync(folder)).toEqual([]);

  chmodSync(folder, 0o755);
  await (await startService(`file:${file}`)).end('SIGTERM');
  chmodSync(file, 0o444);
  const before = readFileSync(file);
  await expectRefusal();
  expect(readFileSync(file).equals(before)).toBe(true);
  record({ proof: PROOF, rounds: 2, note: 'refused at start, left as it was' });
});
