// @ts-check
'use strict';
const { createServer } = require('node:http');
const express = require('express');
const OpenApiValidator = require('express-openapi-validator');
const { AUTHORIZATION } = require('../../workload.js');
const { answerError } = require('../answer-error.js');
const { readArguments } = require('./read-arguments.js');
const { serve } = require('../serve.js');

// express-openapi-validator as its README says: the middleware, then the routes of the application.

async function main() {
  const { contract, operations } = readArguments();
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
  for (const { method, path } of operations) {
    app[/** @type {'put' | 'post'} */ (method)](path.replace('{id}', ':id'), (req, res) => {
      const [id, after, limit] = [req.params['id'], req.query['after'], req.query['limit']].map(Number);
      res.json({ id, after, limit, ...req.body });
    });
  }
  app.use(answerError);
  await serve(createServer(app));
}

void main();
