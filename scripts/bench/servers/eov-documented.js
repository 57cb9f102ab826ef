// @ts-check
'use strict';
const { createServer } = require('node:http');
const express = require('express');
const OpenApiValidator = require('express-openapi-validator');
const { AUTHORIZATION, CONTRACT } = require('../workload.js');
const { serve } = require('./serve.js');

// express-openapi-validator wired as its README says, with the checks of the service switched on. It takes the server
// `{base_url}` for the path /, so the contract needs no change.

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
app.post('/plants', (req, res) => {
  const { name, tag } = req.body;
  res.json({ name, tag });
});
app.use(answerError);

/**
 * Express knows it by its four parameters.
 *
 * @param {any} err
 * @param {express.Request} _req
 * @param {express.Response} res
 * @param {express.NextFunction} _next
 */
function answerError(err, _req, res, _next) {
  res.status(err.status || 500).json({ message: err.message, errors: err.errors });
}

void serve(createServer(app));
