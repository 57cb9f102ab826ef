// @ts-check
'use strict';
const { CONTRACT } = require('../workload.js');
const { openStore } = require('./open-store.js');
const { serveWithGlue } = require('./serve-with-glue.js');

async function main() {
  const store = await openStore();
  await serveWithGlue(CONTRACT, {
    /** @param {import('fastify').FastifyRequest<{ Body: { id: number, name: string, tag?: string } }>} request */
    async createPlant({ body: { id, name, tag } }) {
      await store.add({ id, name, tag });
      return { name, tag };
    },
  });
}

void main();
