#!/usr/bin/env node
// The executable `conformance`.
import './node-version';
import { runCommand } from './cli/run-command';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
  // After a signal, requests may still be on their way.
  if (status > 128) process.exit();
});
