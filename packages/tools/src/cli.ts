#!/usr/bin/env node
// The executable `contract-kit`.
import '@contract-kit/server/node-version';
import './dev/announce';
import { runCommand } from './run-command';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
