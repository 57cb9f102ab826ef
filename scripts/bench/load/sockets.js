// @ts-check
'use strict';
const { createHistogram, performance } = require('node:perf_hooks');
const { answerOrders } = require('./answer-orders.js');
const { openConnection } = require('./connection.js');
const { createRequests } = require('./requests.js');

// The load generator for requests that differ: a process of its own, so that it and the server each have a core where there
// are two.

/**
 * For so many seconds or requests, whichever ends first. With a rate, requests are due that many a second, whether
 * replies come or not, and their latency counts from when they were due; without one each connection sends its next
 * request when it has its reply.
 *
 * @typedef {{ port: number, connections: number, ids: import('./ids.js').Ids, texts?: import('./requests.js').Text[], seconds?: number, requests?: number, rate?: number }} Order
 * @typedef {{ requests: number, requestsPerSecond: number, p50: number, p99: number, p999: number, busy: number, cpu: import('../processor.js').Cpu }} Load
 */

const TICK_MS = 1;

/** @param {Order} order @returns {Promise<Load>} */
async function load({ port, connections, ids, texts, seconds = Infinity, requests = Infinity, rate = Infinity }) {
  const { promise: whenDone, resolve: finish, reject } = Promise.withResolvers();
  const fail = (/** @type {string} */ problem) => reject(new Error(problem));
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port, fail)));
  const toNext = createRequests({ port, ids, texts });
  const idle = opened.map((connection) => ({ ...connection, next: toNext() }));
  const microseconds = createHistogram();
  const [before, cpu, begin] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
  const isPaced = rate !== Infinity;
  const most = isPaced ? Math.min(requests, Math.round(rate * seconds)) : requests;
  // What is due is sent, however late.
  const end = isPaced ? Infinity : begin + 1000 * seconds;
  let sent = 0;
  let replies = 0;

  /** @param {number} now */
  function sendDue(now) {
    while (idle.length > 0 && sent < most && now < end) {
      const due = isPaced ? begin + (1000 * sent) / rate : now;
      if (due > now) return;
      send(/** @type {import('./requests.js').Sender} */ (idle.shift()), due);
    }
  }

  /** @param {import('./requests.js').Sender} connection @param {number} due */
  function send(connection, due) {
    sent++;
    connection.send(connection.next(), () => {
      const now = performance.now();
      microseconds.record(Math.max(1, Math.round(1000 * (now - due))));
      replies++;
      idle.push(connection);
      sendDue(now);
      if (replies === sent && (sent === most || now >= end)) finish(undefined);
    });
  }

  const timer = setInterval(() => sendDue(performance.now()), TICK_MS);
  if (!isPaced) clearInterval(timer);
  try {
    sendDue(begin);
    await whenDone;
  } finally {
    clearInterval(timer);
    for (const { close } of opened) close();
  }
  const elapsed = (performance.now() - begin) / 1000;
  const [p50 = NaN, p99 = NaN, p999 = NaN] = [50, 99, 99.9].map((part) => microseconds.percentile(part) / 1000);
  const { utilization: busy } = performance.eventLoopUtilization(before);
  return { requests: replies, requestsPerSecond: replies / elapsed, p50, p99, p999, busy, cpu: process.cpuUsage(cpu) };
}

answerOrders(load);
