'use strict';
// Loaded once, not for each mutant: what is of others is not mutated. js-yaml is loaded each time: Ajv's
// `const` takes its objects for unequal to those of another realm.
const OUTSIDE = {
  service: ['express', 'express-openapi-validator', 'jose', 'pg', 'pino', 'prom-client', 'supertest'],
  tools: ['openapi-typescript', 'prettier', 'typescript'],
};
for (const name of OUTSIDE[process.env.MUTATION_HALF]) jest.mock(name, () => requireOutside(name));
