/** @type {import('jest').Config} */
module.exports = {
  ...require('../jest-preset.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/browser'],
  testMatch: ['<rootDir>/tests/browser/*.proof.ts'],
};
