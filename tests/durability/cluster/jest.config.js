const proofs = require('../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...proofs,
  rootDir: '../../..',
  testMatch: ['<rootDir>/tests/durability/cluster/*.proof.ts'],
  testTimeout: 30 * 60_000,
};
