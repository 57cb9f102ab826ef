// @ts-check
'use strict';
const assert = require('node:assert');
const { request } = require('./request.js');
const { HEADERS, PLANT } = require('../workload.js');

/**
 * Makes sure that a server does what it is measured for, so that no row of the table is made of errors.
 *
 * @param {string} name
 * @param {number} port
 * @param {boolean} enforces whether it is one of those that authenticate and validate
 */
async function check(name, port, enforces) {
  const { text } = await expect('a valid request', 200);
  assert.deepEqual(JSON.parse(text), PLANT, `${name} replies ${text}`);
  if (!enforces) return;

  const { authorization: _, ...anonymous } = HEADERS;
  const stranger = { ...HEADERS, authorization: 'Bearer another-token' };
  const nameless = JSON.stringify({ id: 1 });
  const wrongName = JSON.stringify({ id: 1, name: {} });
  const truncated = '{"id":1,';
  const refusals = /** @type {const} */ ([
    ['no token', 401, { headers: anonymous }],
    ['a wrong token', 401, { headers: stranger }],
    ['a body without name', 400, { body: nameless }],
    ['a body with a wrong name', 400, { body: wrongName }],
    ['a body that is no JSON', 400, { body: truncated }],
  ]);
  for (const [what, status, options] of refusals) {
    await expect(what, status, options);
  }

  /** @param {string} what @param {number} wanted @param {Parameters<typeof request>[1]} [options] */
  async function expect(what, wanted, options) {
    const reply = await request(port, options);
    assert.equal(reply.status, wanted, `${name} replies ${String(reply.status)} to ${what}: ${reply.text}`);
    return reply;
  }
}

module.exports = { check };
