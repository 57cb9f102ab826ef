// @ts-check
'use strict';
const { connect } = require('node:net');
const { answerOrders } = require('./answer-orders.js');
const { toBytes } = require('./requests.js');
const { HEADERS, METHOD, PATH, toBody } = require('../workload.js');

// Clients that send a byte each second: half of them their headers, the others, after whole headers and with a token
// that counts, their body. Whoever is cut off comes again at once.

const INTERVAL_MS = 1_000;

/** @typedef {{ port: number, sockets: number } | 'end'} Order the second one ends what the first one began */

let end = () => ({});

/** @param {Order} order @returns {Promise<object>} */
async function load(order) {
  if (order === 'end') return end();
  const { port, sockets } = order;
  const request = toBytes(port, { method: METHOD, path: PATH, headers: HEADERS, body: toBody('1') });
  const endOfHead = request.indexOf('\r\n\r\n') + 4;
  let cut = 0;
  let isOver = false;
  const slow = await Promise.all(Array.from({ length: sockets }, (_, place) => open(place % 2 === 0 ? 0 : endOfHead)));
  let next = 0;
  // One after the other: together they would be a burst each second.
  const timer = setInterval(() => slow[next++ % sockets]?.drip(), INTERVAL_MS / sockets);
  end = () => {
    isOver = true;
    clearInterval(timer);
    for (const { close } of slow) close();
    return { cut };
  };
  return { opened: slow.length };

  /** @param {number} atOnce how many bytes are sent without waiting */
  async function open(atOnce) {
    let place = 0;
    let socket = connectAgain();

    function connectAgain() {
      place = atOnce;
      const opened = connect({ port, host: '127.0.0.1', noDelay: true });
      opened.write(request.subarray(0, atOnce));
      opened.on('error', () => undefined).resume();
      opened.on('close', () => {
        if (isOver) return;
        cut++;
        socket = connectAgain();
      });
      return opened;
    }

    await new Promise((resolve) => void socket.once('connect', resolve));
    return {
      // Never the last byte: a request that is complete is none of a slow client's.
      drip: () => place < request.length - 1 && void socket.write(request.subarray(place, ++place)),
      close: () => void socket.destroy(),
    };
  }
}

answerOrders(load);
