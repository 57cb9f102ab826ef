'use strict';
// Loaded by each process that a test starts: what it covers is known when it ends.
const { appendFileSync } = require('node:fs');

process.on('exit', () => {
  const { static: covered = {} } = globalThis.__stryker__?.mutantCoverage ?? {};
  const ids = Object.keys(covered);
  // A process may be allowed to write nothing.
  if (ids.length === 0 || process.permission?.has('fs.write') === false) return;
  appendFileSync(process.env.MUTATION_COVERED, `${ids.join(' ')} `);
});
