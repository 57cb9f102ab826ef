/** @type {import('jest').Config} */
module.exports = {
  ...require('../../jest.config.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/browser'],
  testMatch: ['<rootDir>/tests/browser/*.proof.ts'],
};
