// @ts-check
'use strict';
const { createServer } = require('node:http');
const express = require('express');
const OpenApiValidator = require('express-openapi-validator');
const { AUTHORIZATION, CONTRACT } = require('../workload.js');
const { answerError } = require('./answer-error.js');
const { openStore } = require('./open-store.js');
const { serve } = require('./serve.js');

// express-openapi-validator wired as its README says, with the checks of the service switched on. It takes the server
// `{base_url}` for the path /, so the contract needs no change.

async function main() {
  const store = await openStore();
  const app = express();
  app.use(express.json());
  app.use(
    OpenApiValidator.middleware({
      apiSpec: CONTRACT,
      validateRequests: true,
      validateResponses: true,
      validateSecurity: { handlers: { bearerAuth: (req) => req.headers.authorization === AUTHORIZATION } },
    }),
  );
  app.post('/plants', async (req, res) => {
    const { id, name, tag } = req.body;
    await store.add({ id, name, tag });
    res.json({ name, tag });
  });
  app.use(answerError);
  await serve(createServer(app));
}

void main();
