const preset = require('./jest-preset');

/** Of the plant store, with the packages as they were built. @type {import('jest').Config} */
module.exports = {
  ...preset,
  rootDir: '..',
  testEnvironmentOptions: {},
  moduleNameMapper: { '^([./]+/packages/[a-z]+)/src/(.*)$': '$1/dist/$2' },
};
