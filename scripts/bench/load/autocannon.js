// @ts-check
'use strict';
const { createHistogram, performance } = require('node:perf_hooks');
const autocannon = require('autocannon');
const { answerOrders } = require('./answer-orders.js');
const { BODY, HEADERS, METHOD, PATH } = require('../workload.js');

// The load generator for equal requests: a process of its own, so that it and the server each have a core where there
// are two.

/** @typedef {{ port: number, seconds: number, connections: number }} Order */
/** @typedef {import('./sockets.js').Load} Load */

/** @param {Order} order @returns {Promise<Load>} */
async function load({ port, seconds, connections }) {
  // autocannon counts latency in whole milliseconds, which is too coarse here.
  const microseconds = createHistogram();
  const url = `http://127.0.0.1:${String(port)}${PATH}`;
  const before = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  const run = autocannon({
    url,
    method: METHOD,
    headers: HEADERS,
    body: BODY,
    connections,
    pipelining: 1,
    duration: seconds,
    timeout: 5,
  });
  run.on('response', (/** @type {any[]} */ ...[, , , milliseconds]) => {
    microseconds.record(Math.max(1, Math.round(milliseconds * 1000)));
  });
  const { errors, non2xx, requests, start, finish } = await run;
  const elapsed = (finish.getTime() - start.getTime()) / 1000;
  if (errors > 0 || non2xx > 0 || requests.total === 0) {
    throw new Error(`${String(requests.total)} replies, ${String(non2xx)} not 2xx, ${String(errors)} errors`);
  }
  return {
    requests: requests.total,
    requestsPerSecond: requests.total / elapsed,
    p50: microseconds.percentile(50) / 1000,
    p99: microseconds.percentile(99) / 1000,
    p999: microseconds.percentile(99.9) / 1000,
    busy: performance.eventLoopUtilization(before).utilization,
    cpu: process.cpuUsage(cpu),
  };
}

answerOrders(load);
