import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { findBrokenLinks } from '@contract-kit/test-support/find-broken-links';

const IGNORED = ['**/node_modules', '**/dist', 'reports', 'coverage'];

test.each(globSync('**/*.md', { exclude: IGNORED }))('each link of %s leads somewhere in this folder', (page) => {
  expect(findBrokenLinks('.', page)).toEqual([]);
});

function runGit(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const hasHistory = runGit('rev-parse', '--is-shallow-repository') === 'false';
if (!hasHistory) process.stderr.write('This copy has no history in which to find the commits of docs/proofs.md.\n');

(hasHistory ? describe : describe.skip)('the page of proofs', () => {
  test('each commit of a row is an ancestor of this one', () => {
    const rows = [...readFileSync('docs/proofs.md', 'utf8').matchAll(/^\|.*\| ([\da-f]{7,}) \|/gm)];
    expect(rows.length).toBeGreaterThan(0);
    const strangers = rows.filter(
      ([, commit = '']) => runGit('merge-base', '--is-ancestor', commit, 'HEAD') === undefined,
    );
    expect(strangers.map(([row]) => row)).toEqual([]);
  });
});
