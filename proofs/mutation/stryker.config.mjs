import { HALVES } from './choose-tests.js';

const files = HALVES[process.env.MUTATION_HALF];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest-until-the-deadline',
  plugins: ['@stryker-mutator/*', './proofs/mutation/sample.js', './proofs/mutation/runner.mjs'],
  testRunnerNodeArgs: [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=DEP0169',
  ],
  jest: {
    configFile: 'proofs/mutation/jest.config.js',
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  // A project that a test makes has copies of other sources, and is linted.
  disableTypeChecks: `{${files.join(',')}}`,
  buildCommand: 'node proofs/mutation/build.js',
  concurrency: 2,
  maxTestRunnerReuse: 100,
  dryRunTimeoutMinutes: 30,
  timeoutMS: 5000,
  timeoutFactor: 1.5,
  cleanTempDir: 'always',
  ignorePatterns: ['coverage', 'data', 'dist', '/reports'],
  reporters: ['sample', 'progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: {
    allowColor: false,
    logTests: false,
    reportTests: false,
  },
  thresholds: {
    high: 95,
    low: 90,
    break: null,
  },
};
