'use strict';
// Loaded once, not for each mutant: what is of others is not mutated. js-yaml is loaded each time: Ajv's
// `const` takes its objects for unequal to those of another realm.
for (const name of ['express', 'express-openapi-validator', 'jose', 'pg', 'pino', 'prom-client', 'supertest']) {
  jest.mock(name, () => requireOutside(name));
}
