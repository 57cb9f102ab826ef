'use strict';
const { readFileSync } = require('node:fs');
const { STATUS_CODES } = require('node:http');
const { default: fastify } = require('fastify');
const { load } = require('js-yaml');
const { NURSERY } = require('../workload.js');
const { openNursery, serve } = require('./serve.js');

// What a team would write by hand with Fastify: its schemas are those of the contract, which validate parameters and write
// replies, and its statements run on the main thread.

const { paths, components } = load(readFileSync(NURSERY, 'utf8').replaceAll(/#\/components\/schemas\/(\w+)/g, '$1#'));

async function main() {
  // Fastify refuses the contract's `example` otherwise. Nothing is validated less.
  const app = fastify({ ajv: { customOptions: { strict: false } } });
  for (const [name, schema] of Object.entries(components.schemas)) app.addSchema({ $id: name, ...schema });
  app.setErrorHandler(({ statusCode: status = 500, message }, _request, reply) => {
    const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message };
    void reply.code(status).type('application/problem+json').send(problem);
  });
  const { readPlant, listPlants } = openNursery();
  const plants = paths['/plants'].get;
  const query = Object.fromEntries(plants.parameters.map(({ name, schema }) => [name, schema]));
  const idOf = { plantId: components.parameters.PlantId.schema };
  const toReplies = ({ responses: { 200: reply } }) => ({ 200: reply.content['application/json'].schema });
  const objectOf = (properties) => ({ type: 'object', additionalProperties: false, properties });
  app.get(
    '/v1/plants/:plantId',
    {
      schema: {
        params: objectOf(idOf),
        querystring: objectOf({}),
        response: toReplies(paths['/plants/{plantId}'].get),
      },
    },
    (request, reply) => {
      const { plant, version } = readPlant(request.params.plantId);
      reply.header('ETag', `"${version}"`).send(plant);
    },
  );
  app.get(
    '/v1/plants',
    { schema: { querystring: objectOf(query), response: toReplies(plants) } },
    ({ query: { after, limit } }, reply) => {
      reply.send(listPlants(after, limit));
    },
  );
  await app.ready();
  await serve(app.server);
}

void main();
