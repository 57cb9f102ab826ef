// @ts-check
'use strict';
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const express = require('express');
const { loadContract } = require('../../../../packages/server/dist/contract/operation/load-contract.js');
const { createCatalogueRenderer } = require('../../../../packages/server/dist/contract/refusal/catalogue-renderer.js');
const { expressOpenapiValidator } = require('../../../../packages/server/dist/express-openapi-validator.js');
const { serveContract } = require('../../../../packages/server/dist/contract/serve-contract.js');
const { createContractServer } = require('../../../../packages/server/dist/contract/http/server.js');
const { errors } = require('../../../../generated/contract.js');
const { TOKEN } = require('../../workload.js');
const { readArguments } = require('./read-arguments.js');
const { serve } = require('../serve.js');

// The built kit, with stand-ins for handlers, which repeat what they were given.

/** @param {any} request @param {any} reply */
function handle({ path, query, body }, reply) {
  return reply(200, { ...path, ...query, ...body });
}

async function main() {
  const { contract: file, operations } = readArguments();
  const contract = loadContract(file, createHash('sha256').update(readFileSync(file)).digest('hex'));
  const [render, report] = [createCatalogueRenderer(errors), () => undefined];
  const service = await serveContract({
    contract,
    validator: expressOpenapiValidator,
    handlers: /** @type {any} */ (Object.fromEntries(operations.map(({ id }) => [id, handle]))),
    verifiers: { bearerAuth: (/** @type {string} */ credentials) => (credentials === TOKEN ? {} : undefined) },
    render,
    prefix: '',
    bodyLimit: 1024 ** 2,
    isUnavailable: () => false,
    report,
  });
  const app = express().disable('x-powered-by');
  app.use(service);
  await serve(createContractServer(/** @type {any} */ (app), { render, report }));
}

void main();
