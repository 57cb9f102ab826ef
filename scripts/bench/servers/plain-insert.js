'use strict';
const { performance } = require('node:perf_hooks');
const { answerOrders, createMeter } = require('../load/measure.js');
const { PLANT } = require('../workload.js');
const { openStore } = require('./open-store.js');

// No server: what a durable insert takes by itself. Each order is for how long, and the first id.

void openStore().then((store) =>
  answerOrders(async ({ seconds, firstId }) => {
    const meter = createMeter();
    const end = performance.now() + 1000 * seconds;
    let id = firstId;
    for (let begin = performance.now(); begin < end;) {
      store.add({ id: id++, ...PLANT });
      const now = performance.now();
      meter.record(now - begin);
      begin = now;
    }
    return meter.read(id - firstId);
  }),
);
