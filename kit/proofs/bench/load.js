'use strict';
const { once } = require('node:events');
const { fdatasyncSync, openSync, writeSync } = require('node:fs');
const { connect } = require('node:net');
const { createHistogram, performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { openInsert } = require('./servers/serve.js');
const { PLANT, toBytes, toCreation } = require('./workload.js');

// The load generator: a process of its own, so that it and the server each have a core where there are two. Each message
// is an order, and its answer what was measured, or the problem. Each connection sends its next request when it has its
// reply, which is complete by its Content-Length, and whose status begins as the order says.

const EMPTY = Buffer.alloc(0);
const STATUS = 'HTTP/1.1 '.length;
const ID_WIDTH = 19;

/** Collects latencies in milliseconds, and what this process has to do meanwhile. A histogram takes whole numbers. */
function createMeter() {
  const microseconds = createHistogram();
  const [before, begin] = [performance.eventLoopUtilization(), performance.now()];
  return {
    record: (milliseconds) => microseconds.record(Math.max(1, Math.round(1000 * milliseconds))),
    read(requests) {
      const [p50, p99, p999] = [50, 99, 99.9].map((part) => microseconds.percentile(part) / 1000);
      const { utilization: busy } = performance.eventLoopUtilization(before);
      const requestsPerSecond = (1000 * requests) / (performance.now() - begin);
      return { requests, requestsPerSecond, p50, p99, p999, busy };
    },
  };
}

/**
 * @param texts the requests, in turn; creations of plants with another id each time where there are none
 * @param status what the status of each reply begins with
 */
async function sendRequests({ port, connections, firstId, texts, status = '2', seconds, rate }) {
  const { promise: whenDone, resolve: finish, reject } = Promise.withResolvers();
  const fail = (problem) => reject(new Error(problem));
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port, status, fail)));
  const toNext = texts ? takeTurns(port, texts) : createPlants(port, firstId);
  const meter = createMeter();
  const end = performance.now() + 1000 * seconds;
  // At a rate, each connection waits for its next turn; one that is late sends at once.
  const interval = rate === undefined ? 0 : (1000 * connections) / rate;
  let [waiting, replies] = [connections, 0];
  for (const [place, { send }] of opened.entries()) {
    const next = toNext();
    // Those that began together would come together each time.
    setTimeout(() => sendNext(performance.now()), (place * interval) / connections);

    function sendNext(begin) {
      send(next(), () => {
        const now = performance.now();
        meter.record(now - begin);
        replies++;
        const pause = interval === 0 ? 0 : begin + interval - now;
        if (now >= end) {
          if (--waiting === 0) finish();
        } else if (pause < 1) sendNext(now);
        else setTimeout(() => sendNext(performance.now()), pause);
      });
    }
  }
  try {
    await whenDone;
    return meter.read(replies);
  } finally {
    for (const { close } of opened) close();
  }
}

/** A kept-alive connection with one request in flight at most. */
async function openConnection(port, status, fail) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let whenReplied;
  let received = EMPTY;
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const size = sizeOf(received);
    if (size === undefined || received.length < size) return;
    const next = whenReplied;
    if (received.length !== size || next === undefined) return fail('what came is not one reply with a length');
    if (!received.latin1Slice(STATUS, STATUS + 3).startsWith(status))
      return fail(`a reply is not a ${status}: ${received.toString()}`);
    received = EMPTY;
    whenReplied = undefined;
    next();
  });
  socket.on('error', ({ message }) => fail(message));
  socket.on('end', () => fail('the server closed a connection'));
  return {
    send(request, listener) {
      whenReplied = listener;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
}

/** @returns the bytes of a reply; undefined while its head is incomplete, NaN when it does not say */
function sizeOf(received) {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [, length] = /content-length: *(\d+)/i.exec(received.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length ?? NaN);
}

function takeTurns(port, texts) {
  const requests = texts.map((text) => toBytes(port, text));
  let sent = 0;
  return () => () => requests[sent++ % requests.length];
}

/**
 * Nothing is put together anew: of a request only the id changes, in a field of one width, filled up with the spaces that
 * JSON allows before a number.
 */
function createPlants(port, firstId) {
  let id = firstId;
  return () => {
    const request = toBytes(port, toCreation('#'.repeat(ID_WIDTH)));
    const place = request.indexOf('#');
    return () => {
      request.write(String(id++).padStart(ID_WIDTH), place, 'latin1');
      return request;
    };
  };
}

/** No server: what a durable insert takes by itself. */
async function insertPlants({ inserts: file, seconds, firstId }) {
  const store = await openInsert(file);
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
}

/** No server: what the disk needs for the sync of a commit, so many times a second. */
async function syncPages({ syncs: file, rate, seconds }) {
  const page = Buffer.alloc(4096, 'a');
  const descriptor = openSync(file, 'w');
  const meter = createMeter();
  const begin = performance.now();
  let syncs = 0;
  for (let now = begin; now < begin + 1000 * seconds; now = performance.now()) {
    if ((now - begin) * rate < 1000 * syncs) {
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
}

process.on('message', async (order) => {
  const load = order.inserts ? insertPlants : order.syncs ? syncPages : sendRequests;
  process.send(await load(order).catch(({ message }) => ({ problem: message })));
});
process.on('disconnect', () => process.exit());
process.send('ready');
