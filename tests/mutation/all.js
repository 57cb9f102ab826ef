'use strict';
// All tests in one file, which loads src/ once for each mutant. Left out are those that see only the text of src/, and
// the suite that follows from the contract: it takes longer than all others, which have to do without it.
const { globSync, readFileSync } = require('node:fs');
const LEFT_OUT = ['architecture', 'conformance/', 'docs/browser', 'readme', 'scripts/', 'workflow'];
// What makes a test slow, the slowest last.
const HELPERS = ['serve-notes', 'start-things', 'start-app', 'start-process', 'start-postgres'];

function costOf(name) {
  const text = readFileSync(`tests/${name}.test.ts`, 'utf8');
  return HELPERS.findLastIndex((helper) => text.includes(helper));
}

const names = globSync('**/*.test.ts', { cwd: 'tests' })
  .map((file) => file.replace(/\.test\.ts$/, ''))
  .filter((name) => !LEFT_OUT.some((start) => name.startsWith(start)))
  .sort()
  .sort((one, other) => costOf(one) - costOf(other));
for (const name of names) {
  describe(name, () => {
    try {
      require(`../${name}.test`);
    } catch (error) {
      test('loads', () => {
        throw error;
      });
    }
  });
}
