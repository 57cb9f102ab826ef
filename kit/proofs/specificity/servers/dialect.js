// @ts-check
'use strict';
const { createServer } = require('node:http');
const { readBody, serve } = require('./serve.js');

// A right server of packages/test-support/fixtures/dialect.yaml, of node:http alone: what each keyword of 2020-12 says, by hand. Numbers
// in its parameters may have a plus, leading zeros and white space around them.

const JSON_TYPE = /^application\/json *(?:; *[\w-]+=(?:[\w-]+|"[^"]*") *)*$/i;

/** @typedef {(value: any) => boolean} Check */
/** @typedef {Record<string, any>} Members */

// Integers are bigints.
/** @type {Check} */
const isInteger = (value) => typeof value === 'bigint';
/** @type {Check} */
const isInt64 = (value) => isInteger(value) && BigInt.asIntN(64, value) === value;
/** @type {Check} */
const isNumber = (value) => isInteger(value) || typeof value === 'number';
/** @type {Check} */
const isText = (value) => typeof value === 'string';
/** @type {Check} */
const isBoolean = (value) => typeof value === 'boolean';
/** @type {Check} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {any} value @param {Check} check */
const isListOf = (value, check) => Array.isArray(value) && value.every(check);
/** @param {Members} value @param {string} name */
const has = (value, name) => Object.hasOwn(value, name);
/** @param {Members} value @param {Record<string, Check>} checks of properties that may be left out */
const fits = (value, checks) =>
  Object.entries(checks).every(([name, check]) => !has(value, name) || check(value[name]));

/** @type {Check} */
function isPair(value) {
  return (
    Array.isArray(value) &&
    value.length <= 2 &&
    [isInteger, isText].every((is, at) => at >= value.length || is(value[at]))
  );
}

/** @type {Check} */
function isTail(value) {
  return Array.isArray(value) && (value.length === 0 || isText(value[0])) && isListOf(value.slice(1), isInteger);
}

/** @type {Check} */
function areWords(value) {
  if (!isListOf(value, (item) => isText(item) || isInteger(item))) return false;
  const { length } = value.filter(isText);
  return length === 2 || length === 3;
}

/** @type {Check} */
function areLists(value) {
  return (
    isObject(value) &&
    fits(value, {
      pair: isPair,
      tail: isTail,
      few: Array.isArray,
      word: (word) => Array.isArray(word) && word.some(isText),
      words: areWords,
      rest: (rest) =>
        Array.isArray(rest) && (rest.length === 0 || isBoolean(rest[0])) && isListOf(rest.slice(1), isInt64),
      closed: (closed) => Array.isArray(closed) && closed.length <= 2 && (closed.length === 0 || isBoolean(closed[0])),
    })
  );
}

/** @type {Check} */
function isNamed(value) {
  return isObject(value) && has(value, 'name') && isText(value.name) && value.name.length > 0;
}

/** @type {Check} */
function isCard(value) {
  if (!isObject(value) || !fits(value, { number: isText, address: isText, code: isInteger })) return false;
  return (!has(value, 'number') || has(value, 'address')) && (!has(value, 'code') || has(value, 'signature'));
}

/** @type {Check} */
function isShipping(value) {
  if (!isObject(value) || !fits(value, { express: isBoolean, fee: isInteger })) return false;
  return !has(value, 'express') || (has(value, 'fee') && value.fee >= 5n);
}

/** @type {Check} */
function isParcel(value) {
  if (!isObject(value) || !has(value, 'kind') || !['letter', 'box'].includes(value.kind)) return false;
  if (has(value, 'weight') && !(isNumber(value.weight) && value.weight >= 0)) return false;
  return value.kind === 'letter' ? !has(value, 'weight') || value.weight <= 50 : has(value, 'weight');
}

/** @type {Check} */
function areObjects(value) {
  return (
    isObject(value) &&
    fits(value, {
      card: isCard,
      shipping: isShipping,
      parcel: isParcel,
      base: (base) =>
        isNamed(base) &&
        fits(base, { size: isInteger }) &&
        Object.keys(base).every((name) => ['name', 'size'].includes(name)),
      open: (open) =>
        isNamed(open) &&
        Object.entries(open).every(([name, member]) => name === 'name' || (isInteger(member) && member >= 0n)),
      tags: (tags) =>
        isObject(tags) && Object.keys(tags).length > 0 && Object.keys(tags).every((name) => /^[a-z]{1,8}$/.test(name)),
      marks: (marks) =>
        isObject(marks) &&
        Object.entries(marks).every(([name, mark]) => (name.startsWith('x-') ? isInteger(mark) : isText(mark))),
      version: (version) => version === 2n,
      other: (other) => isInteger(other) && other % 3n !== 0n,
      long: isInt64,
    })
  );
}

const READ = {
  '/pair': ['[1,"a"]', '[1]', '[]'],
  '/tail': ['["a",1,2]', '["a"]', '[]'],
  '/few': ['[1]', '["a"]', '[]'],
};
/** @type {Record<string, Check>} */
const SENT = { '/send': isPair, '/lists': areLists, '/objects': areObjects };

/** @param {string} text */
function parseExactly(text) {
  return JSON.parse(text, (_name, value, context) => {
    if (typeof value !== 'number') return value;
    if (/^-?\d+$/.test(context.source)) return BigInt(context.source);
    return Number.isSafeInteger(value) && !/\.\d*[1-9]/.test(context.source) ? BigInt(value) : value;
  });
}

/** @param {string} text */
const readInteger = (text) => (/^\s*[+-]?\d+\s*$/.test(text) ? BigInt(text.trim().replace('+', '')) : undefined);
/** @param {string} text */
const readBoolean = (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined);

/** @type {Check} */
function isPart(text) {
  return /^\s*\+?(?:\d+|\d+\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) && Number(text) > 0;
}

/** @type {Check} */
function isInOrder(text) {
  const [number = '', word, ...others] = text.split(',');
  return readInteger(number) !== undefined && (word === undefined || /^[a-z]+$/.test(word)) && others.length === 0;
}

/** @type {Check} */
function isJsonPair(text) {
  try {
    return isPair(parseExactly(text));
  } catch {
    return false;
  }
}

/** @type {Record<string, Check>} */
const PARAMETERS = {
  long: (text) => isInt64(readInteger(text)),
  part: isPart,
  yes: (text) => readBoolean(text) !== undefined,
  either: (text) => readBoolean(text) !== undefined || readInteger(text) !== undefined,
  kind: (text) => text === 'small' || text === 'large',
  list: (text) =>
    text.split(',').length <= 3 && text.split(',').every((/** @type {string} */ item) => isInteger(readInteger(item))),
  pair: isInOrder,
  json: isJsonPair,
  'range[from]': (text) => isInteger(readInteger(text)),
  'range[to]': (text) => isInteger(readInteger(text)),
};

/** @param {string} path @param {string} query @param {import('node:http').IncomingHttpHeaders} headers */
function areParameters(path, query, headers) {
  const [, word = '', count = ''] = /^\/texts\/([^/]*)\/([^/]*)$/.exec(path) ?? [];
  const number = readInteger(decodeURIComponent(count));
  if (number === undefined || number < 1n || number > 9n || [...decodeURIComponent(word)].length > 20) return false;
  const pairs = query.split('&').map((pair) =>
    pair
      .split(/=(.*)/s)
      .slice(0, 2)
      .map((part) => decodeURIComponent(part.replaceAll('+', ' '))),
  );
  const names = pairs
    .map(([name = '']) => name)
    .filter((name) => Object.hasOwn(PARAMETERS, name) || name.startsWith('range['));
  if (new Set(names).size < names.length || (names.includes('range[to]') && !names.includes('range[from]')))
    return false;
  const areRight = pairs.every(([name = '', text = '']) => {
    if (name.startsWith('range[') && !Object.hasOwn(PARAMETERS, name)) return false;
    return !Object.hasOwn(PARAMETERS, name) || PARAMETERS[name]?.(text) === true;
  });
  const xCount = headers['x-count'];
  const crumbs = String(headers.cookie ?? '')
    .split(/; */)
    .filter((cookie) => cookie.startsWith('crumbs='));
  return (
    areRight &&
    (xCount === undefined || readInteger(String(xCount)) !== undefined) &&
    crumbs.length < 2 &&
    crumbs.every((cookie) => readInteger(decodeURIComponent(cookie.slice('crumbs='.length))) !== undefined)
  );
}

/** @typedef {{ status: number, headers?: Record<string, string>, body?: string }} Answer */

let turn = 0;

/** @param {import('node:http').IncomingMessage} req @returns {Promise<Answer>} */
async function answer(req) {
  const { method = '', headersDistinct, headers } = req;
  if (req.httpVersion === '0.9' || req.url?.startsWith('http:///')) return refusal(400, 'version or target');
  if (headersDistinct.host?.length !== 1 || /[\s/]/.test(String(headers.host))) return refusal(400, 'Host');
  const [path = '', query = ''] = String(req.url)
    .replace(/^http:\/\/[^/]*/, '')
    .split(/\?(.*)/s);
  const readable = Object.entries(READ).find(([name]) => name === path)?.[1];
  const check = Object.hasOwn(SENT, path) ? SENT[path] : undefined;
  const isTexts = /^\/texts\/[^/]+\/[^/]+$/.test(path);
  if (!readable && !check && !isTexts) return refusal(404, 'There is nothing here.');
  const allowed = check ? ['POST'] : ['GET', 'HEAD'];
  if (!allowed.includes(method)) return { ...refusal(405, 'Not that.'), headers: { Allow: allowed.join(', ') } };
  const sent = await readBody(req);
  if (!sent) return refusal(413, 'The body is too large.');
  if (readable) return { status: 200, body: String(readable[turn++ % readable.length]) };
  try {
    if (isTexts) return areParameters(path, query, headers) ? { status: 204 } : refusal(400, 'A parameter is wrong.');
    if (!headersDistinct['content-type']?.every((type) => JSON_TYPE.test(type))) return refusal(415, 'JSON, please.');
    if (headers['content-encoding'] !== undefined) return refusal(415, 'What coding is that?');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sent);
    if (check?.(parseExactly(text)) !== true) return refusal(400, 'The body is wrong.');
    return path === '/send' ? { status: 204 } : { status: 200, body: text };
  } catch {
    return refusal(400, 'The request cannot be read.');
  }
}

/** @param {number} status @param {string} message @returns {Answer} */
function refusal(status, message) {
  return { status, body: JSON.stringify({ message }) };
}

const server = createServer({ requireHostHeader: true }, (req, res) => {
  answer(req).then(
    ({ status, headers = {}, body }) => {
      res.writeHead(status, body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' });
      res.end(body);
    },
    () => res.destroy(),
  );
});

void serve(server);
