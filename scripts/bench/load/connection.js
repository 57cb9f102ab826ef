// @ts-check
'use strict';
const { once } = require('node:events');
const { connect } = require('node:net');
const { HEADERS, METHOD, PATH, toBody } = require('../workload.js');

const ID_WIDTH = 19;
const EMPTY = Buffer.alloc(0);
// The first digit of the status.
const STATUS = 'HTTP/1.1 '.length;
const SUCCESS = '2'.charCodeAt(0);

/**
 * A kept-alive connection with one request in flight at most. Its request is written once; only the id in it changes,
 * in a field of one width, filled up with the spaces that JSON allows before a number.
 *
 * @param {number} port
 * @param {(problem: string) => void} fail
 */
async function openConnection(port, fail) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const { request, place } = toRequest(port);
  /** @type {(() => void) | undefined} */
  let whenReplied;
  let received = EMPTY;

  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const size = sizeOf(received);
    if (size === undefined || received.length < size) return;
    const next = whenReplied;
    if (received.length !== size || next === undefined) return fail('what came is not one reply with a length');
    if (received[STATUS] !== SUCCESS) return fail(`a reply is not 2xx: ${received.toString()}`);
    received = EMPTY;
    whenReplied = undefined;
    next();
  });
  socket.on('error', ({ message }) => fail(message));
  socket.on('end', () => fail('the server closed a connection'));

  return {
    /** @param {string} id @param {() => void} listener */
    send(id, listener) {
      whenReplied = listener;
      request.write(id.padStart(ID_WIDTH), place, 'latin1');
      socket.write(request);
    },
    close: () => void socket.destroy(),
  };
}

/** @param {number} port */
function toRequest(port) {
  const body = toBody('#'.repeat(ID_WIDTH));
  const headers = { host: `127.0.0.1:${String(port)}`, ...HEADERS, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const request = Buffer.from(`${METHOD} ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return { request, place: request.indexOf('#') };
}

/** @param {Buffer} received @returns {number | undefined} the bytes of a reply; undefined while its head is incomplete, NaN when it does not say */
function sizeOf(received) {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [, length] = /content-length: *(\d+)/i.exec(received.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length ?? NaN);
}

module.exports = { openConnection };
