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

test('each commit on the page of proofs is an ancestor of this one', () => {
  if (runGit('rev-parse', '--is-shallow-repository') !== 'false') {
    process.stderr.write('The commits on the page of proofs were not looked for: this copy has no history.\n');
    return;
  }
  const rows = [...readFileSync('docs/proofs.md', 'utf8').matchAll(/^\|.*\| ([\da-f]{7,}) \|/gm)];
  expect(rows.length).toBeGreaterThan(0);
  const strangers = rows.filter(
    ([, commit = '']) => runGit('merge-base', '--is-ancestor', commit, 'HEAD') === undefined,
  );
  expect(strangers.map(([row]) => row)).toEqual([]);
});
