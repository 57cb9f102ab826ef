#!/usr/bin/env node
// A file of its own, because npm links only what is there before the package is compiled.
require('../dist/cli.js');
