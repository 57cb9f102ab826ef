'use strict';
const assert = require('node:assert');
const http = require('node:http');
const { BODY, HEADERS, METHOD, PATH, PLANT } = require('../workload.js');

const TIMEOUT_MS = 10_000;

/** Sends one request. @returns the status and text of the reply */
function request(port, { method = METHOD, path = PATH, headers = HEADERS, body = BODY, agent = false } = {}) {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const req = http.request({ host: '127.0.0.1', port, method, path, headers, agent, signal });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      res.on('error', reject).on('end', () => resolve({ status: res.statusCode, text }));
    });
    req.end(body);
  });
}

/** Makes sure that a server does what it is measured for, so that no row of the table is made of errors. */
async function check(name, port, enforces) {
  const { text } = await expect('a valid request', 200);
  assert.deepEqual(JSON.parse(text), PLANT, `${name} replies ${text}`);
  if (!enforces) return;
  const { authorization: _, ...anonymous } = HEADERS;
  await expect('no token', 401, { headers: anonymous });
  await expect('a wrong token', 401, { headers: { ...HEADERS, authorization: 'Bearer another-token' } });
  await expect('a body without name', 400, { body: '{"id":1}' });
  await expect('a body with a wrong name', 400, { body: '{"id":1,"name":{}}' });
  await expect('a body that is no JSON', 400, { body: '{"id":1,' });

  async function expect(what, wanted, options) {
    const reply = await request(port, options);
    assert.equal(reply.status, wanted, `${name} replies ${reply.status} to ${what}: ${reply.text}`);
    return reply;
  }
}

module.exports = { check, request };
