// @ts-check
'use strict';
const { default: fastify } = require('fastify');
const { default: openapiGlue } = require('fastify-openapi-glue');
const { AUTHORIZATION } = require('../workload.js');
const { serve } = require('./serve.js');

const securityHandlers = {
  /** @param {import('fastify').FastifyRequest} request */
  async bearerAuth({ headers }) {
    if (headers.authorization !== AUTHORIZATION) throw new Error('The token is not accepted');
  },
};

/**
 * fastify-openapi-glue as its README says. It ignores the contract's servers, so no prefix is needed. Fastify writes
 * replies by the schema, which is its way of holding them to the contract.
 *
 * @param {string} specification the path of a contract
 * @param {Record<string, (request: any) => Promise<object>>} serviceHandlers
 */
async function serveWithGlue(specification, serviceHandlers) {
  // As its documentation says: otherwise Fastify refuses the contract's `example`. Nothing is validated less.
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  // Fastify's own error body is not the one of the contract, and a reply that does not fit becomes a 500.
  app.setErrorHandler(
    (/** @type {import('fastify').FastifyError} */ { statusCode = 500, message }, _request, reply) => {
      void reply.code(statusCode).send({ error: statusCode * 100, message });
    },
  );
  await app.register(openapiGlue, { specification, serviceHandlers, securityHandlers });
  await app.ready();
  await serve(app.server);
}

module.exports = { serveWithGlue };
