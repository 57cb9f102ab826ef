#!/usr/bin/env node
// The executable `conformance`.

// In CommonJS, this runs before the next import, because an old version of Node cannot load all of that.
const MINIMUM = 24;
if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This program needs Node ${String(MINIMUM)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm run conformance", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}

import { runCommand } from './cli/run-command';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
  // After a signal, requests may still be in flight.
  if (status > 128) process.exit();
});
