'use strict';
const { loadContract } = require('../../../packages/server/dist/contract/operation/load-contract.js');
const { sha256 } = require('../../../generated/contract.js');
const { listOperations } = require('./list-operations.js');
const { CONTRACT } = require('../workload.js');

// Contracts of any size whose operations all ask for the same work, so that nothing but their number differs: a path
// and a query parameter of int64, a body, and a reply that repeats them. Each resource has schemas of its own.

const ID = { type: 'integer', format: 'int64', minimum: 1 };
const NAME = { type: 'string', minLength: 1, maxLength: 60, pattern: '^[A-Za-z0-9 ]*$' };
const TAGS = { type: 'array', maxItems: 5, items: { type: 'string', pattern: '^[a-z]{1,12}$' } };
const KIND = { type: 'string', enum: ['tree', 'shrub', 'herb'] };
const PARAMETERS = [
  { name: 'id', in: 'path', required: true, schema: ID },
  { name: 'after', in: 'query', required: true, schema: { type: 'integer', format: 'int64', minimum: 0 } },
  { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 } },
];
const REPLIES = { 400: 'BadRequest', 401: 'Unauthorized', 500: 'InternalServerError', 503: 'ServiceUnavailable' };

/** @returns JSON, which is YAML too */
function makeContract(count) {
  // What goes wrong is declared as the service does it.
  const { components } = loadContract(CONTRACT, sha256).document;
  const paths = {};
  const schemas = { Error: components.schemas.Error };
  for (const { id, path, method, resource } of listOperations(count)) {
    paths[path] = { ...paths[path], [method]: toOperation(id, resource) };
    Object.assign(schemas, toSchemas(resource));
  }
  const { securitySchemes, responses } = components;
  const document = {
    openapi: '3.0.3',
    info: { title: `${count} operations`, version: '1.0.0' },
    servers: [{ url: '/' }],
    security: [{ bearerAuth: [] }],
    paths,
    components: { securitySchemes, schemas, responses },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function toOperation(operationId, resource) {
  const toContent = (name) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  });
  const errors = Object.entries(REPLIES).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]);
  return {
    operationId,
    parameters: PARAMETERS,
    requestBody: { required: true, content: toContent(`new-${resource}`) },
    responses: { 200: { description: 'It is this.', content: toContent(resource) }, ...Object.fromEntries(errors) },
  };
}

function toSchemas(resource) {
  const [after, limit] = [{ type: 'integer', format: 'int64' }, { type: 'integer' }];
  const more = { type: 'object', required: ['id', 'after', 'limit'], properties: { id: ID, after, limit } };
  return {
    [`new-${resource}`]: {
      type: 'object',
      required: ['name', 'amount'],
      properties: { name: NAME, amount: { type: 'integer', format: 'int64' }, kind: KIND, tags: TAGS },
    },
    [resource]: { allOf: [{ $ref: `#/components/schemas/new-${resource}` }, more] },
  };
}

module.exports = { makeContract };
