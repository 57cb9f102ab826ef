// @ts-check
'use strict';
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { answerOrders } = require('./answer-orders.js');
const { openConnection } = require('./connection.js');
const { createLatencies } = require('./latencies.js');
const { measureRecovery } = require('./recovery.js');
const { createRequests } = require('./requests.js');

// The load generator for more than a server can do: requests are due at a fixed rate, and 503 is an answer too. It is
// bounded by its connections: when all of them wait for a reply, what is due waits with them.

/**
 * `accepted` are all that got a 2xx, also those whose reply came when the time was over. Latencies count from when a
 * request was sent on its connection, and for those accepted also from when it was due.
 *
 * @typedef {import('./latencies.js').Latencies} Latencies
 * @typedef {{ port: number, connections: number, ids: import('./ids.js').Ids, seconds: number, rate: number }} Order
 * @typedef {{ accepted: number, acceptedPerSecond: number, refusedPerSecond: number, fromSent: Latencies, fromDue: Latencies, refusals: Latencies, recovery: number, busy: number }} Flood
 */

const TICK_MS = 1;

/** @param {Order} order @returns {Promise<Flood>} */
async function flood({ port, connections, ids, seconds, rate }) {
  const { promise: whenDone, resolve: finish, reject } = Promise.withResolvers();
  const fail = (/** @type {string} */ problem) => reject(new Error(problem));
  const toNext = createRequests({ port, ids });
  /** @type {import('./requests.js').Sender[]} */
  const idle = [];
  // One after the other: it is about requests, not about how many connections can be opened at once.
  for (let count = 0; count < connections; count++) {
    idle.push({ ...(await openConnection(port, fail, { mayRefuse: true })), next: toNext() });
  }
  const opened = [...idle];
  const [fromSent, fromDue, refusals] = [createLatencies(), createLatencies(), createLatencies()];
  const before = performance.eventLoopUtilization();
  const begin = performance.now();
  const end = begin + 1000 * seconds;
  let [sent, accepted, acceptedInTime, refusedInTime] = [0, 0, 0, 0];

  /** @param {number} now */
  function sendDue(now) {
    while (idle.length > 0 && now < end) {
      const due = begin + (1000 * sent) / rate;
      if (due > now) return;
      sent++;
      send(/** @type {import('./requests.js').Sender} */ (idle.shift()), due);
    }
  }

  /** @param {import('./requests.js').Sender} connection @param {number} due */
  function send(connection, due) {
    const at = performance.now();
    connection.send(connection.next(), (isAccepted) => {
      const now = performance.now();
      if (isAccepted) {
        accepted++;
        if (now < end) acceptedInTime++;
        fromSent.record(now - at);
        fromDue.record(now - due);
      } else {
        if (now < end) refusedInTime++;
        refusals.record(now - at);
      }
      idle.push(connection);
      sendDue(now);
      if (now >= end && idle.length === connections) finish(undefined);
    });
  }

  const timer = setInterval(() => sendDue(performance.now()), TICK_MS);
  try {
    sendDue(begin);
    await Promise.race([sleep(end - performance.now()), whenDone]);
    const [recovery] = await Promise.all([measureRecovery(port), idle.length < connections ? whenDone : undefined]);
    return {
      accepted,
      acceptedPerSecond: acceptedInTime / seconds,
      refusedPerSecond: refusedInTime / seconds,
      fromSent: fromSent.read(),
      fromDue: fromDue.read(),
      refusals: refusals.read(),
      recovery,
      busy: performance.eventLoopUtilization(before).utilization,
    };
  } finally {
    clearInterval(timer);
    for (const { close } of opened) close();
  }
}

answerOrders(flood);
