/** @type {import('jest').Config} */
module.exports = {
  rootDir: '../..',
  roots: ['<rootDir>/tests/durability'],
  testMatch: ['<rootDir>/tests/durability/*.proof.ts'],
  globalSetup: '<rootDir>/tests/durability/before-all.ts',
  globalTeardown: '<rootDir>/tests/durability/after-all.ts',
  testTimeout: 15 * 60_000,
  transform: { '\\.ts$': 'ts-jest' },
};
