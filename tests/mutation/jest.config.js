/** @type {import('jest').Config} */
module.exports = {
  rootDir: '../..',
  roots: ['<rootDir>/tests/mutation'],
  testMatch: ['<rootDir>/tests/mutation/all.js'],
  testEnvironment: require.resolve('./environment.js'),
  setupFiles: ['<rootDir>/tests/mutation/outside.js'],
  // A mutant that hangs fails the test that waits; no test takes half of it.
  testTimeout: 5_000,
  transform: { '\\.ts$': ['ts-jest', { diagnostics: false }] },
};
