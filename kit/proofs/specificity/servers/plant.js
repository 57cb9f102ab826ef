// @ts-check
'use strict';

// What the contract says of a plant and of tokens, by hand. The two right servers share it, and nothing else.

const MAX_ID = 2n ** 63n;

/**
 * An integer is exact only in its text: JSON.parse hands it over.
 *
 * @param {string} text JSON
 * @returns {unknown} integers as bigint
 */
function parseExactly(text) {
  return JSON.parse(text, (_name, value, context) =>
    typeof value === 'number' && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value,
  );
}

/**
 * @param {any} plant
 * @returns {string | undefined} what is wrong with it
 */
function findFault(plant) {
  if (typeof plant !== 'object' || plant === null || Array.isArray(plant)) return 'it is no object';
  const own = (/** @type {string} */ name) => (Object.hasOwn(plant, name) ? plant[name] : undefined);
  const id = own('id');
  if (typeof id !== 'bigint' || id >= MAX_ID || id < -MAX_ID) return 'id is no int64';
  if (!isText(own('name'))) return 'name is no text';
  return own('tag') === undefined || isText(own('tag')) ? undefined : 'tag is no text';
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === 'string' && !value.includes('\0');
}

/**
 * @param {string | undefined} authorization
 * @returns {string | undefined} the challenge, where the credentials do not count
 */
function findChallenge(authorization = '') {
  if (!/^bearer +\S/i.test(authorization)) return 'Bearer realm="plants"';
  const isRight = authorization.replace(/^bearer +/i, '') === process.env.TOKEN;
  return isRight ? undefined : 'Bearer realm="plants", error="invalid_token"';
}

/** @param {number} status @param {string} message */
function toError(status, message) {
  return JSON.stringify({ error: status * 100, message });
}

module.exports = { parseExactly, findFault, findChallenge, toError };
