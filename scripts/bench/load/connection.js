// @ts-check
'use strict';
const { once } = require('node:events');
const { connect } = require('node:net');

const EMPTY = Buffer.alloc(0);
// The first digit of the status.
const STATUS = 'HTTP/1.1 '.length;
const SUCCESS = '2'.charCodeAt(0);
const REFUSED = '503 ';

/** @typedef {{ send: (request: Buffer, listener: (isAccepted: boolean) => void) => void, close: () => void }} Connection */

/**
 * A kept-alive connection with one request in flight at most.
 *
 * @param {number} port
 * @param {(problem: string) => void} fail
 * @param {{ mayRefuse?: boolean }} [options] whether 503 is an answer too
 * @returns {Promise<Connection>}
 */
async function openConnection(port, fail, { mayRefuse = false } = {}) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  /** @type {((isAccepted: boolean) => void) | undefined} */
  let whenReplied;
  let received = EMPTY;

  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const size = sizeOf(received);
    if (size === undefined || received.length < size) return;
    const next = whenReplied;
    if (received.length !== size || next === undefined) return fail('what came is not one reply with a length');
    const isAccepted = received[STATUS] === SUCCESS;
    if (!isAccepted && !(mayRefuse && received.toString('latin1', STATUS, STATUS + REFUSED.length) === REFUSED)) {
      return fail(`a reply is not 2xx: ${received.toString()}`);
    }
    received = EMPTY;
    whenReplied = undefined;
    next(isAccepted);
  });
  socket.on('error', ({ message }) => fail(message));
  socket.on('end', () => fail('the server closed a connection'));

  return {
    send(request, listener) {
      whenReplied = listener;
      socket.write(request);
    },
    close: () => void socket.destroy(),
  };
}

/** @param {Buffer} received @returns {number | undefined} the bytes of a reply; undefined while its head is incomplete, NaN when it does not say */
function sizeOf(received) {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [, length] = /content-length: *(\d+)/i.exec(received.toString('latin1', 0, end)) ?? [];
  return end + 4 + Number(length ?? NaN);
}

module.exports = { openConnection };
