// @ts-check
'use strict';
const { createServer } = require('node:http');
const express = require('express');
const { OpenAPIBackend } = require('openapi-backend');
const { AUTHORIZATION, CONTRACT } = require('../workload.js');
const { answerError } = require('./answer-error.js');
const { openStore } = require('./open-store.js');
const { serve } = require('./serve.js');

/** @typedef {import('openapi-backend').Context} Context */
/** @typedef {express.Response} Response */

// openapi-backend on Express as its README says, with the checks of the service switched on: requests, replies and
// credentials. It ignores the contract's servers, so no prefix is needed.

async function main() {
  const store = await openStore();
  const api = new OpenAPIBackend({
    definition: CONTRACT,
    handlers: {
      async createPlant(/** @type {Context} */ { request }) {
        const { id, name, tag } = request.requestBody;
        await store.add({ id, name, tag });
        return { name, tag };
      },
      validationFail: (/** @type {Context} */ { validation }, _req, /** @type {Response} */ res) =>
        res.status(400).json({ error: 40009, message: JSON.stringify(validation.errors) }),
      unauthorizedHandler: (_context, _req, /** @type {Response} */ res) =>
        res.status(401).json({ error: 40101, message: 'The token is not accepted' }),
      notFound: (_context, _req, /** @type {Response} */ res) => res.status(404).json({ message: 'not found' }),
      postResponseHandler,
    },
  });
  api.registerSecurityHandler('bearerAuth', ({ request }) => request.headers['authorization'] === AUTHORIZATION);
  await api.init();

  const app = express();
  app.use(express.json());
  app.use((req, res) => api.handleRequest(/** @type {any} */ (req), req, res));
  app.use(answerError);
  await serve(createServer(app));
}

/** @param {Context} context @param {express.Request} _req @param {Response} res */
function postResponseHandler({ api, response, operation }, _req, res) {
  // What validationFail and the like answered themselves.
  if (res.headersSent) return;
  const { errors } = api.validateResponse(response, operation);
  if (errors) res.status(500).json({ error: 50000, message: JSON.stringify(errors) });
  else res.json(response);
}

void main();
