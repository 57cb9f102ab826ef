/** @type {import('jest').Config} */
module.exports = {
  ...require('../../jest.config.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/clients'],
  testMatch: ['<rootDir>/tests/clients/*.proof.ts'],
};
