/** @type {import('jest').Config} */
module.exports = {
  ...require('../jest-preset.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/deploy'],
  testMatch: ['<rootDir>/tests/deploy/*.proof.ts'],
};
