#!/usr/bin/env node
import '@contract-kit/server/node-version';
// In CommonJS, this runs before the next import, which takes a second.
if (process.argv[2] === 'dev') console.error('dev: starting; the first compilation takes a few seconds');
import { runCommand } from './run-command';

void runCommand(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
