/** @type {import('jest').Config} */
module.exports = {
  ...require('../jest-preset.js'),
  rootDir: '../..',
  roots: ['<rootDir>/tests/clients'],
  testMatch: ['<rootDir>/tests/clients/*.proof.ts'],
};
