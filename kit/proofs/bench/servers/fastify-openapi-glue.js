'use strict';
const { default: fastify } = require('fastify');
const { default: openapiGlue } = require('fastify-openapi-glue');
const { AUTHORIZATION } = require('../workload.js');
const { contract, openStore, serve } = require('./serve.js');

// fastify-openapi-glue as its README says. It ignores the contract's servers, so no prefix is needed. Fastify writes
// replies by the schema, which is its way of holding them to the contract.

const securityHandlers = {
  async bearerAuth({ headers }) {
    if (headers.authorization !== AUTHORIZATION) throw new Error('The token is not accepted');
  },
};

async function main() {
  // As its documentation says: otherwise Fastify refuses the contract's `example`. Nothing is validated less.
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  // Fastify's own error body is not the one of the contract, and a reply that does not fit becomes a 500.
  app.setErrorHandler(({ statusCode = 500, message }, _request, reply) => {
    void reply.code(statusCode).send({ error: statusCode * 100, message });
  });
  const serviceHandlers = await createPlants();
  await app.register(openapiGlue, { specification: contract, serviceHandlers, securityHandlers });
  await app.ready();
  await serve(app.server);
}

async function createPlants() {
  const store = await openStore();
  return {
    async createPlant({ body: { id, name, tag } }) {
      await store.add({ id, name, tag });
      return { name, tag };
    },
  };
}

void main();
