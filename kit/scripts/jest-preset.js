const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testMatch: ['<rootDir>/proofs/*/*.test.ts', '<rootDir>/packages/*/tests/**/*.test.ts'],
  // The packages are tested as they are written, not as they were built.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testSequencer: require.resolve('./slow-first.cjs'),
  // Much of the time is waiting, for sockets and processes.
  maxWorkers: availableParallelism() + 1,
  // This only ends a test that hangs, on the slowest machine, too.
  testTimeout: 600_000,
  transform: { '\\.ts$': 'ts-jest' },
  // main.ts, run-service.ts, what only that uses and what needs an SDK of OpenTelemetry run in processes of their own; what these cover, c8 holds to 100 % in `npm run check -- coverage`.
  collectCoverageFrom: [
    'packages/{contract,server,store}/src/**/*.ts',
    '!packages/server/src/runtime/{run-service,tune-process,node-version}.ts',
    '!packages/server/src/http/trace.ts',
    // Lists of names, of which each is a function once it is compiled.
    '!packages/{contract,server}/src/{index,errors}.ts',
  ],
  coverageReporters: ['text', 'lcovonly'],
  coverageThreshold: { global: { lines: 100, branches: 100, functions: 100, statements: 100 } },
};
