'use strict';
const { createServer } = require('node:http');
const express = require('express');
const OpenApiValidator = require('express-openapi-validator');
const { AUTHORIZATION } = require('../workload.js');
const { contract, openStore, serve } = require('./serve.js');

// express-openapi-validator as its README says: the middleware, with the checks of the service switched on, then the
// routes of the application. It takes the server `{base_url}` for the path /, so the contract needs no change.

async function main() {
  const app = express();
  app.use(express.json());
  app.use(
    OpenApiValidator.middleware({
      apiSpec: contract,
      validateRequests: true,
      validateResponses: true,
      validateSecurity: { handlers: { bearerAuth: (req) => req.headers.authorization === AUTHORIZATION } },
    }),
  );
  const store = await openStore();
  app.post('/plants', async (req, res) => {
    const { id, name, tag } = req.body;
    await store.add({ id, name, tag });
    res.json({ name, tag });
  });
  // Express knows it by its four parameters.
  app.use((err, _req, res, _next) => {
    res.status(err.status || 500).json({ message: err.message, errors: err.errors });
  });
  await serve(createServer(app));
}

void main();
