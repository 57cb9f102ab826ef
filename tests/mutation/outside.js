'use strict';
// Loaded once, not for each mutant: what is of others is not mutated.
for (const name of [
  'express',
  'express-openapi-validator',
  'js-yaml',
  'jose',
  'pg',
  'pino',
  'prom-client',
  'supertest',
]) {
  jest.mock(name, () => requireOutside(name));
}
