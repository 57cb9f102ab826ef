const { randomInt } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');

process.env.DURABILITY_SEED ??= String(randomInt(1, 1_000_000));
process.stderr.write(`DURABILITY_SEED=${process.env.DURABILITY_SEED}\n`);
mkdirSync('reports', { recursive: true });
writeFileSync('reports/durability.jsonl', '');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: '../..',
  roots: ['<rootDir>/proofs/durability'],
  testMatch: ['<rootDir>/proofs/durability/*.proof.ts'],
  globalTeardown: '<rootDir>/proofs/durability/results.ts',
  testTimeout: 30 * 60_000,
  transform: { '\\.ts$': 'ts-jest' },
};
