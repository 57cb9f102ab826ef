import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { replaceRow } from '../../scripts/record-proof';

const PAGE = readFileSync('docs/proofs.md', 'utf8');

test('docs/proofs.md has a row for each proof that is recorded, and no other', () => {
  expect(replaceRow(PAGE, '')).toBe(PAGE);
  const names = [...PAGE.matchAll(/^\| \[?([a-z:-]+)/gm)].map(([, name]) => name);
  expect(names).toEqual(['proof', ...Object.keys(CHECKS).filter((name) => CHECKS[name]?.isRecorded)]);
});

describe('npm run check -- schema-suite --record', () => {
  let folder: string;
  const read = (): string => String(/^\| schema-suite .*$/m.exec(readFileSync(join(folder, 'docs/proofs.md'), 'utf8')));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });

  function commit(script: string): void {
    writeFileSync(join(folder, 'scripts/schema-suite.ts'), script);
    git('add', '.');
    git('commit', '--quiet', '--message', 'test: a proof');
  }

  function record(...args: readonly string[]) {
    const env = {
      ...process.env,
      TS_NODE_PROJECT: resolve('tsconfig.json'),
      npm_package_config_source: '--no-warnings',
    };
    const script = ['--require', require.resolve('ts-node/register/transpile-only'), resolve('scripts/check.ts')];
    const all = [...script, 'schema-suite', ...args, '--record'];
    return spawnSync(process.execPath, all, { cwd: folder, env, encoding: 'utf8' });
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-'));
    for (const name of ['scripts', 'docs']) mkdirSync(join(folder, name));
    git('init', '--quiet');
    writeFileSync(join(folder, 'docs/proofs.md'), PAGE);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('writes the result, the options without paths, the day and the commit', () => {
    commit("console.log('result: 3 | 4\\nmore');");
    expect(record('--suite', '/somewhere/else')).toMatchObject({ status: 0, stdout: 'result: 3 | 4\nmore\n' });
    const head = git('rev-parse', '--short', 'HEAD').toString().trim();
    const day = new Date().toISOString().split('T', 1).join('');
    expect(read()).toContain(String.raw`| schema-suite | 3 \| 4 | ${'`--suite DIR`'} | ${day} | ${head} | 0 s | `);
    commit("console.log('result: 5');");
    record();
    expect(read()).toContain('| schema-suite | 5 |  | ');
  });

  test('writes that it failed', () => {
    commit("console.log('result: 2 differ'); process.exitCode = 3;");
    expect(record().status).toBe(3);
    expect(read()).toContain('| schema-suite | FAILED: 2 differ | ');
    commit('throw new Error();');
    record();
    expect(read()).toContain('| schema-suite | FAILED: it ended without a result | ');
  });

  test('writes nothing of a changed tree, or of a proof without a result', () => {
    commit('');
    expect(record()).toMatchObject({ status: 2, stderr: 'it passed without a line of its result\n' });
    commit("require('node:fs').writeFileSync('left.txt', ''); console.log('result: 1');");
    const refused = { status: 2, stderr: expect.stringMatching(/^not recorded, .*\nleft.txt\n/) as string };
    expect(record()).toMatchObject({ ...refused, stdout: 'result: 1\n' });
    expect(record()).toMatchObject({ ...refused, stdout: '' });
    expect(readFileSync(join(folder, 'docs/proofs.md'), 'utf8')).toBe(PAGE);
  });
});
