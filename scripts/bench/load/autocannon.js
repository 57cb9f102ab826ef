'use strict';
const autocannon = require('autocannon');
const { answerOrders, createMeter } = require('./measure.js');
const { BODY, HEADERS, METHOD, PATH } = require('../workload.js');

// The load generator for equal requests: a process of its own, so that it and the server each have a core where there
// are two.

async function load({ port, seconds, connections }) {
  const meter = createMeter();
  const run = autocannon({
    url: `http://127.0.0.1:${port}${PATH}`,
    method: METHOD,
    headers: HEADERS,
    body: BODY,
    connections,
    duration: seconds,
    timeout: 5,
  });
  // It counts latency in whole milliseconds itself, which is too coarse here.
  run.on('response', (_client, _status, _bytes, milliseconds) => meter.record(milliseconds));
  const { errors, non2xx, requests, start, finish } = await run;
  if (errors > 0 || non2xx > 0 || requests.total === 0) {
    throw new Error(`${requests.total} replies, ${non2xx} not 2xx, ${errors} errors`);
  }
  return meter.read(requests.total, finish.getTime() - start.getTime());
}

answerOrders(load);
