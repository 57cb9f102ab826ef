/** @type {import('jest').Config} */
module.exports = {
  ...require('../jest-preset.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/mutation'],
  testMatch: ['<rootDir>/tests/mutation/all.js'],
  testEnvironment: require.resolve('./environment.js'),
  transform: { '\\.ts$': ['ts-jest', { diagnostics: false }] },
};
