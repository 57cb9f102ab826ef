'use strict';
const { createHistogram, performance } = require('node:perf_hooks');
const { PLANT } = require('../workload.js');
const { openStore } = require('./open-store.js');

// No server: what a durable insert takes by itself. Each order is for how long, and the first id.

async function main() {
  const store = await openStore();
  process.on('message', ({ seconds, firstId }) => {
    const microseconds = createHistogram();
    const end = performance.now() + 1000 * seconds;
    let id = firstId;
    for (let begin = performance.now(); begin < end;) {
      store.add({ id: id++, ...PLANT });
      const now = performance.now();
      microseconds.record(Math.max(1, Math.round(1000 * (now - begin))));
      begin = now;
    }
    process.send({ requests: id - firstId, p50: microseconds.percentile(50) / 1000 });
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

void main();
