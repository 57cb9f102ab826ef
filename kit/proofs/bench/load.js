'use strict';
const { once } = require('node:events');
const { connect } = require('node:net');
const { createHistogram, performance } = require('node:perf_hooks');
const { toBytes, toCreation } = require('./workload.js');

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
async function sendRequests({ port, connections, firstId, texts, status = '2', seconds }) {
  const { promise: whenDone, resolve: finish, reject } = Promise.withResolvers();
  const fail = (problem) => reject(new Error(problem));
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(port, status, fail)));
  const toNext = texts ? takeTurns(port, texts) : createPlants(port, firstId);
  const meter = createMeter();
  const end = performance.now() + 1000 * seconds;
  let [waiting, replies] = [connections, 0];
  for (const { send } of opened) {
    const next = toNext();
    const sendNext = (begin) =>
      send(next(), () => {
        const now = performance.now();
        meter.record(now - begin);
        replies++;
        if (now < end) sendNext(now);
        else if (--waiting === 0) finish();
      });
    sendNext(performance.now());
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

process.on('message', async (order) => {
  process.send(await sendRequests(order).catch(({ message }) => ({ problem: message })));
});
process.on('disconnect', () => process.exit());
process.send('ready');
