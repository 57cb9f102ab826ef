'use strict';
// The tests in one file, which loads src/ once for each mutant.
const { chooseTests, nameOf } = require('./choose-tests');

for (const file of chooseTests(process.env.MUTATION_HALF)) {
  describe(nameOf(file), () => {
    try {
      require(`../../${file}`);
    } catch (error) {
      test('loads', () => {
        throw error;
      });
    }
  });
}
