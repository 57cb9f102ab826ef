'use strict';
const { fdatasyncSync, openSync, writeSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { answerOrders, createMeter } = require('../load/measure.js');

// No server: what the disk needs for the sync of a commit, so many times a second.

const { file, rate } = parseArgs({ options: { file: { type: 'string' }, rate: { type: 'string' } } }).values;
const page = Buffer.alloc(4096, 'a');
const descriptor = openSync(file, 'w');

answerOrders(async ({ seconds }) => {
  const meter = createMeter();
  const begin = performance.now();
  let syncs = 0;
  for (let now = begin; now < begin + 1000 * seconds; now = performance.now()) {
    if ((now - begin) * Number(rate) < 1000 * syncs) {
      await sleep(1);
      continue;
    }
    const start = performance.now();
    writeSync(descriptor, page);
    fdatasyncSync(descriptor);
    meter.record(performance.now() - start);
    syncs++;
  }
  return meter.read(syncs);
});
