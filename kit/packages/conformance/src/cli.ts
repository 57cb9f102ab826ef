#!/usr/bin/env node
// The oldest supported Node. CommonJS checks it before the import below, which an older version may fail to load.
const MINIMUM_NODE_VERSION = 24;
if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_VERSION) {
  console.error(
    `This program needs Node ${String(MINIMUM_NODE_VERSION)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm run conformance", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}

import { runCommand } from './cli/run-command';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
  // After a signal, requests in flight would keep the process alive.
  if (status > 128) process.exit();
});
