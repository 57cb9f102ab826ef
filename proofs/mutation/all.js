'use strict';
// The tests in one file, which loads src/ once for each mutant.
const { chooseTests, nameOf } = require('./choose-tests');

// Loaded once, not for each mutant: what is of others is not mutated. What compares with things of its own realm is loaded
// each time: js-yaml and Ajv objects, prom-client promises, jose the clock that tests set.
const OUTSIDE = {
  service: ['express', 'express-openapi-validator', 'pg', 'pino', 'supertest'],
  tools: ['openapi-typescript', 'prettier', 'typescript'],
};
for (const name of OUTSIDE[process.env.MUTATION_HALF]) jest.mock(name, () => requireOutside(name));

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
