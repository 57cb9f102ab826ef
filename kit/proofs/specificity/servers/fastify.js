// @ts-check
'use strict';
const { default: fastify } = require('fastify');
const { findChallenge, findFault, parseExactly, toError } = require('./plant.js');
const { serve } = require('./serve.js');

// A right server in Fastify. Its replies have a charset; 413 and 415 are its own, with the body that Fastify gives them;
// it refuses `__proto__` in JSON, and `1.0` for an integer; credentials come first.

const JSON_UTF8 = 'application/json; charset=utf-8';

async function main() {
  const app = fastify({ bodyLimit: 100 * 1024, requireHostHeader: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (request.headers['content-encoding'] !== undefined)
        throw Object.assign(new Error('coding'), { statusCode: 415 });
      const text = new TextDecoder('utf-8', { fatal: true }).decode(/** @type {Buffer} */ (body));
      if (text.includes('"__proto__"')) throw new Error('__proto__ is no name');
      done(null, parseExactly(text));
    } catch (error) {
      done(Object.assign(/** @type {Error} */ (error), { statusCode: /** @type {any} */ (error).statusCode ?? 400 }));
    }
  });
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500, message } = /** @type {import('fastify').FastifyError} */ (error);
    return reply.code(statusCode).type(JSON_UTF8).send(toError(statusCode, message));
  });
  app.addHook('onRequest', async (request, reply) => {
    if (request.raw.httpVersion === '0.9') return reply.code(400).type(JSON_UTF8).send(toError(400, 'version'));
    if (request.raw.headersDistinct.host?.length !== 1 || /[\s/]/.test(String(request.headers.host))) {
      return reply.code(400).type(JSON_UTF8).send(toError(400, 'Host'));
    }
    if (request.is404) return undefined;
    const challenge = findChallenge(request.headers.authorization);
    if (challenge === undefined) return undefined;
    return reply.code(401).header('WWW-Authenticate', challenge).type(JSON_UTF8).send(toError(401, 'Who are you?'));
  });
  app.post('/plants', async (request, reply) => {
    const fault = findFault(request.body);
    if (fault !== undefined) return reply.code(400).type(JSON_UTF8).send(toError(400, fault));
    const { name, tag } = /** @type {{ name: string, tag?: string }} */ (request.body);
    return reply.header('X-Frame-Options', 'DENY').type(JSON_UTF8).send(JSON.stringify({ name, tag }));
  });
  await app.ready();
  await serve(app.server);
}

void main();
