'use strict';
// All tests in one file, which loads src/ once for each mutant. Left out are those that see only the text of src/, and
// the suite that follows from the contract: it takes longer than all others, which have to do without it.
const { globSync } = require('node:fs');
const LEFT_OUT = ['architecture', 'conformance/', 'readme', 'scripts/', 'workflow'];

const names = globSync('**/*.test.ts', { cwd: 'tests' })
  .map((file) => file.replace(/\.test\.ts$/, ''))
  .filter((name) => !LEFT_OUT.some((start) => name.startsWith(start)));
// Those that start processes last.
for (const name of names.sort((one, other) => Number(one === 'main') - Number(other === 'main'))) {
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
