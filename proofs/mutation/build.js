'use strict';
// Builds a copy of the repository whose node_modules is that of the repository, where the packages are not mutated.
const { execFileSync } = require('node:child_process');
const { mkdirSync, readdirSync, symlinkSync } = require('node:fs');
const { join, resolve } = require('node:path');

for (const folder of ['src', 'tests', 'packages', 'dist']) {
  const scope = join(folder, 'node_modules/@contract-kit');
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync('packages').filter((one) => !['node_modules', 'README.md'].includes(one))) {
    symlinkSync(resolve('packages', name), join(scope, name));
  }
}
execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-b', 'src'], { stdio: 'inherit' });
