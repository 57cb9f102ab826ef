// @ts-check
'use strict';
const { createIds } = require('./ids.js');
const { HEADERS, METHOD, PATH, toBody } = require('../workload.js');

const ID_WIDTH = 19;

/** @typedef {{ method: string, path: string, headers: Record<string, string>, body: string }} Text */

/** A connection and what it sends next. @typedef {import('./connection.js').Connection & { next: () => Buffer }} Sender */

/**
 * What connections send: these requests in turn, or creations with another id each time. Nothing is put together anew:
 * of a creation only the id changes, in a field of one width, filled up with the spaces that JSON allows before a number.
 *
 * @param {{ port: number, ids: import('./ids.js').Ids, texts?: readonly Text[] | undefined }} order
 * @returns {() => () => Buffer} for a connection, what it sends next
 */
function createRequests({ port, ids, texts }) {
  if (texts) {
    const requests = texts.map((text) => toBytes(port, text));
    let sent = 0;
    return () => () => /** @type {Buffer} */ (requests[sent++ % requests.length]);
  }
  const nextId = createIds(ids);
  return () => {
    const body = toBody('#'.repeat(ID_WIDTH));
    const request = toBytes(port, { method: METHOD, path: PATH, headers: HEADERS, body });
    const place = request.indexOf('#');
    return () => {
      request.write(String(nextId()).padStart(ID_WIDTH), place, 'latin1');
      return request;
    };
  };
}

/** @param {number} port @param {Text} text @returns {Buffer} */
function toBytes(port, { method, path, headers, body }) {
  const all = { host: `127.0.0.1:${String(port)}`, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

module.exports = { createRequests, toBytes };
