// @ts-check
'use strict';
const { default: fastify } = require('fastify');
const { default: openapiGlue } = require('fastify-openapi-glue');
const { AUTHORIZATION, CONTRACT } = require('../workload.js');
const { openStore } = require('./open-store.js');
const { serve } = require('./serve.js');

// fastify-openapi-glue as its README says. It ignores the contract's servers, so no prefix is needed. Fastify writes
// replies by the schema, which is its way of holding them to the contract.

const securityHandlers = {
  /** @param {import('fastify').FastifyRequest} request */
  async bearerAuth({ headers }) {
    if (headers.authorization !== AUTHORIZATION) throw new Error('The token is not accepted');
  },
};

async function main() {
  const store = await openStore();
  const serviceHandlers = {
    /** @param {import('fastify').FastifyRequest<{ Body: { id: number, name: string, tag?: string } }>} request */
    async createPlant({ body: { id, name, tag } }) {
      await store.add({ id, name, tag });
      return { name, tag };
    },
  };
  // As its documentation says: otherwise Fastify refuses the contract's `example`. Nothing is validated less.
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  // Fastify's own error body is not the one of the contract, and a reply that does not fit becomes a 500.
  app.setErrorHandler(
    (/** @type {import('fastify').FastifyError} */ { statusCode = 500, message }, _request, reply) => {
      void reply.code(statusCode).send({ error: statusCode * 100, message });
    },
  );
  await app.register(openapiGlue, { specification: CONTRACT, serviceHandlers, securityHandlers });
  await app.ready();
  await serve(app.server);
}

void main();
