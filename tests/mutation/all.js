'use strict';
// All tests in one file, which loads src/ once for each mutant. Left out are those that see only the text of src/.
const { globSync } = require('node:fs');
const LEFT_OUT = ['architecture', 'readme', 'scripts/'];

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
