// @ts-check
'use strict';
const { createServer } = require('node:http');
const { findChallenge, findFault, parseExactly, toError } = require('./plant.js');
const { MAX_BODY, readBody, serve } = require('./serve.js');

// A right server of node:http alone. It reads the body before it asks who calls, answers in chunks, has headers that the
// contract does not list, 405 and 404 in text, 413 and 415 where HTTP means them, and decodes gzip.

const { gunzipSync } = require('node:zlib');

const JSON_TYPE = /^application\/json *(?:; *[\w-]+=(?:[\w-]+|"[^"]*") *)*$/i;

/** @typedef {{ status: number, headers?: Record<string, string>, type?: string, body: string }} Answer */

/** @param {import('node:http').IncomingMessage} req @returns {Promise<Answer>} */
async function answer(req) {
  const { method, url = '', headersDistinct, headers } = req;
  if (req.httpVersion === '0.9') return refusal(400, 'version');
  if (headersDistinct.host?.length !== 1 || /[\s/]/.test(String(headers.host))) return refusal(400, 'Host');
  if (url.startsWith('http:///')) return refusal(400, 'target');
  const path = url.replace(/^http:\/\/[^/]*/, '').replace(/\?.*/, '');
  if (path !== '/plants') return { status: 404, type: 'text/plain', body: 'There is nothing here.' };
  if (method !== 'POST') return { status: 405, headers: { Allow: 'POST' }, type: 'text/plain', body: 'POST it.' };
  const sent = await readBody(req);
  if (!sent) return refusal(413, 'The body is too large.');
  if (!headersDistinct['content-type']?.every((type) => JSON_TYPE.test(type))) return refusal(415, 'JSON, please.');
  const coding = headers['content-encoding'] ?? 'identity';
  if (!/^(?:gzip|identity)$/.test(coding)) return refusal(415, 'What coding is that?');
  let plant;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    plant = parseExactly(decoder.decode(coding === 'gzip' ? gunzipSync(sent, { maxOutputLength: MAX_BODY }) : sent));
  } catch {
    return refusal(400, 'The body cannot be read.');
  }
  const fault = findFault(plant);
  const challenge = findChallenge(headers.authorization);
  if (challenge !== undefined) return { ...refusal(401, 'Who are you?'), headers: { 'WWW-Authenticate': challenge } };
  if (fault !== undefined) return refusal(422, fault);
  return { status: 200, body: JSON.stringify({ name: plant.name, tag: plant.tag }) };
}

/** @param {number} status @param {string} message @returns {Answer} */
function refusal(status, message) {
  return { status, body: toError(status, message) };
}

const server = createServer({ requireHostHeader: true }, (req, res) => {
  answer(req).then(
    ({ status, headers = {}, type = 'application/json; charset=UTF-8', body }) => {
      res.writeHead(status, { ...headers, 'Content-Type': type, 'X-Powered-By': 'hands', ETag: 'W/"1"' });
      res.write(body.slice(0, 1));
      res.end(body.slice(1));
    },
    () => res.destroy(),
  );
});

void serve(server);
