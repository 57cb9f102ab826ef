/** @type {import('jest').Config} */
module.exports = {
  ...require('../../tests/jest-preset.js'),
  rootDir: '../..',
  roots: ['<rootDir>/proofs/mutation'],
  testMatch: ['<rootDir>/proofs/mutation/all.js'],
  testEnvironment: require.resolve('./environment.js'),
  transform: { '\\.ts$': ['ts-jest', { diagnostics: false }] },
};
