'use strict';
// The tests in one file, which loads src/ once for each mutant.
const { chooseTests } = require('./choose-tests');

for (const file of chooseTests()) {
  describe(file.replace(/^tests\/|(?:\.slow)?\.test\.ts$/g, ''), () => {
    try {
      require(`../../${file}`);
    } catch (error) {
      test('loads', () => {
        throw error;
      });
    }
  });
}
