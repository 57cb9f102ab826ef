'use strict';
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const express = require('express');
const { loadContract } = require('../../../packages/server/dist/contract/operation/load-contract.js');
const { createRenderer } = require('../../../packages/server/dist/errors/create-renderer.js');
const { expressOpenapiValidator } = require('../../../packages/server/dist/express-openapi-validator.js');
const { serveContract } = require('../../../packages/server/dist/pipeline/serve-contract.js');
const { createContractServer } = require('../../../packages/server/dist/http/server.js');
const { errors } = require('../../../generated/contract.js');
const { TOKEN } = require('../workload.js');
const { contract: file, operations } = require('./operations.js');
const reads = require('./reads.js');
const { serve } = require('./serve.js');

// The built kit, with handlers that repeat what they were given, or read plants.

async function main() {
  const repeat = ({ path, query, body }, reply) => reply(200, { ...path, ...query, ...body });
  const contract = loadContract(file, createHash('sha256').update(readFileSync(file)).digest('hex'));
  const [render, report] = [createRenderer({ contract, errors }), () => undefined];
  const service = await serveContract({
    contract,
    validator: expressOpenapiValidator,
    handlers: reads.file ? await createReads() : Object.fromEntries(operations.map(({ id }) => [id, repeat])),
    verifiers: { bearerAuth: (credentials) => (credentials === TOKEN ? {} : undefined) },
    render,
    prefix: '',
    bodyLimit: 1024 ** 2,
    isUnavailable: () => false,
    report,
  });
  const app = express().disable('x-powered-by');
  app.use(service);
  await serve(createContractServer(app, { render, report }));
}

async function createReads() {
  const { openStore } = require('../../../packages/store/dist/index.js');
  const { plantSchema } = require('../../../dist/store/plant-schema.js');
  const store = await openStore({ file: reads.file }, plantSchema);
  const toItem = ({ id, name, tag }) => ({ id, name, tag });
  return {
    async readPlant({ path: { id } }, reply) {
      const [plant] = await store.read({ sql: reads.ONE, values: [id], toItem });
      return reply(200, plant);
    },
    async listPlants({ query: { after, limit } }, reply) {
      return reply(200, await store.read({ sql: reads.PAGE, values: [after, limit], toItem }));
    },
  };
}

void main();
