'use strict';
const assert = require('node:assert');
const { resolve } = require('node:path');

// What every server is given: the same contract, token and request.

const TIMEOUT_MS = 10_000;
const TOKEN = 'a-token-for-the-benchmark';
const AUTHORIZATION = `Bearer ${TOKEN}`;
const HEADERS = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
const PLANT = { name: 'Rose', tag: 'flower' };
const toBody = (id) => `{"id":${id},${JSON.stringify(PLANT).slice(1)}`;
/** The creation of a plant, by the id of its text. */
const toCreation = (id) => ({ method: 'POST', path: '/plants', headers: HEADERS, body: toBody(id) });
const OTHER_HEADERS = { ...HEADERS, authorization: 'Bearer another-token' };
const WITHOUT_TOKEN = { 'content-type': 'application/json' };

/** A request as it is sent. */
function toBytes(port, { method, path, headers, body = '' }) {
  const all = { host: `127.0.0.1:${port}`, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Sends one request. @returns the status and text of the reply */
async function request(port, { path, headers, ...sent }) {
  // A server may close a connection that is kept while the next request is on its way.
  const all = { ...sent, headers: { ...headers, connection: 'close' }, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, all);
  return { status: reply.status, text: await reply.text() };
}

/**
 * Makes sure that a server does what it is measured for, so that no row of a table is made of errors.
 *
 * @param cases each the status of the reply, the request, and the value of the reply where it counts
 */
async function expectReplies(name, port, cases) {
  for (const [status, sent, value] of cases) {
    const reply = await request(port, sent);
    const what = `${name} replies ${reply.status} to ${JSON.stringify(sent)}: ${reply.text}`;
    assert.equal(reply.status, status, what);
    if (value) assert.deepEqual(JSON.parse(reply.text), value, what);
  }
}

/** @param enforces whether the server authenticates and validates */
function checkPlants(name, port, enforces = true) {
  const valid = toCreation('1');
  const refused = [
    [401, { ...valid, headers: WITHOUT_TOKEN }],
    [401, { ...valid, headers: OTHER_HEADERS }],
    ...['{"id":1}', '{"id":1,"name":{}}', '{"id":1,'].map((body) => [400, { ...valid, body }]),
  ];
  return expectReplies(name, port, [[200, valid, PLANT], ...(enforces ? refused : [])]);
}

module.exports = {
  AUTHORIZATION,
  checkPlants,
  CONTRACT: resolve(__dirname, '../../packages/test-support/plants/openapi.yaml'),
  HEADERS,
  OTHER_HEADERS,
  PLANT,
  request,
  toBytes,
  toCreation,
  TOKEN,
};
