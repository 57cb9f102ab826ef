// @ts-check
'use strict';
const { default: fastify } = require('fastify');
const { default: openapiGlue } = require('fastify-openapi-glue');
const { AUTHORIZATION } = require('../../workload.js');
const { readArguments } = require('./read-arguments.js');
const { serve } = require('../serve.js');

// fastify-openapi-glue as its README says, with what the other script of this name says about it.

const securityHandlers = {
  /** @param {import('fastify').FastifyRequest} request */
  async bearerAuth({ headers }) {
    if (headers.authorization !== AUTHORIZATION) throw new Error('The token is not accepted');
  },
};

/** @param {import('fastify').FastifyRequest<{ Params: any, Querystring: any, Body: any }>} request */
async function handle({ params, query, body }) {
  return { ...params, ...query, ...body };
}

async function main() {
  const { contract, operations } = readArguments();
  const serviceHandlers = Object.fromEntries(operations.map(({ id }) => [id, handle]));
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  app.setErrorHandler(
    (/** @type {import('fastify').FastifyError} */ { statusCode = 500, message }, _request, reply) => {
      void reply.code(statusCode).send({ error: statusCode * 100, message });
    },
  );
  await app.register(openapiGlue, { specification: contract, serviceHandlers, securityHandlers });
  await app.ready();
  await serve(app.server);
}

void main();
