// @ts-check
'use strict';
const assert = require('node:assert');
const { BODY, MOST, REPLY, toTexts } = require('./texts.js');
const { request } = require('../load/request.js');

/**
 * Makes sure that operations reply what they should, and that the first and the last one refuse what they should.
 *
 * @param {string} name
 * @param {number} port
 * @param {number} count of operations
 */
async function checkOperations(name, port, count) {
  const texts = toTexts(count, Math.min(MOST, count));
  for (const text of texts) {
    const reply = await request(port, text);
    assert.equal(reply.status, 200, `${name}: ${text.path}: ${reply.text}`);
    assert.deepEqual(JSON.parse(reply.text), REPLY, `${name}: ${text.path}`);
  }
  for (const text of new Set([texts[0], texts.at(-1)])) {
    if (!text) continue;
    const { authorization: _, ...anonymous } = text.headers;
    const refusals = /** @type {const} */ ([
      [401, { ...text, headers: anonymous }],
      [400, { ...text, path: text.path.replace(String(REPLY.id), 'x') }],
      [400, { ...text, path: text.path.replace(String(REPLY.id), '0') }],
      [400, { ...text, path: `${text.path}&limit=101` }],
      [400, { ...text, path: text.path.replace(/after=\d+/, 'after=x') }],
      [400, { ...text, body: JSON.stringify({ ...BODY, name: '-' }) }],
      [400, { ...text, body: JSON.stringify({ ...BODY, amount: undefined }) }],
    ]);
    for (const [wanted, refused] of refusals) {
      const { status, text: answer } = await request(port, refused);
      assert.equal(status, wanted, `${name}: ${refused.path} ${refused.body}: ${String(status)} ${answer}`);
    }
  }
}

module.exports = { checkOperations };
