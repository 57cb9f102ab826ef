'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { openInsert } = require('../servers/serve.js');
const { loadInRounds, makeFolder, startServers } = require('../start-servers.js');
const { medianRatio, THROUGHPUT, toCpu, toNotes, toRatio, toRow } = require('../statistics.js');
const { AUTHORIZATION, expectReplies } = require('../workload.js');

const FASTIFY = 'fastify-openapi-glue';
const SERVERS = ['ours', FASTIFY, 'eov documented', 'node:http'];
const PLANTS = 10_000;
const MOST = 20;
const LIMITS = [1, 20, 100, 1_000];
const HEADERS = { authorization: AUTHORIZATION };
const toRead = (path, headers = HEADERS) => ({ method: 'GET', path, headers });
/** What a server replies to, and what it refuses. */
const READ = LIMITS.map((limit) => {
  const plants = Array.from({ length: limit }, (_, index) => toPlant(toFirst(limit, 1) + index));
  return [200, toTexts(limit)[1], limit === 1 ? plants[0] : plants];
});
const REFUSED = [
  [401, toRead('/plants/1', {})],
  [400, toRead('/plants/x')],
  [400, toRead('/plants?after=0&limit=2000')],
];

const ID = { type: 'integer', format: 'int64', minimum: 0 };
const PLANT = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: ID, name: { type: 'string', maxLength: 100 }, tag: { type: 'string' } },
};
const toOperation = (operationId, parameters, schema) => {
  const content = { 'application/json': { schema } };
  return { operationId, parameters, responses: { 200: { description: 'It is this.', content } } };
};
const CONTRACT = {
  openapi: '3.0.3',
  info: { title: 'Reads', version: '1.0.0' },
  servers: [{ url: '/' }],
  security: [{ bearerAuth: [] }],
  paths: {
    '/plants/{id}': { get: toOperation('readPlant', [{ name: 'id', in: 'path', required: true, schema: ID }], PLANT) },
    '/plants': {
      get: toOperation(
        'listPlants',
        [
          { name: 'after', in: 'query', required: true, schema: ID },
          { name: 'limit', in: 'query', required: true, schema: { type: 'integer', minimum: 1, maximum: 1_000 } },
        ],
        { type: 'array', items: PLANT },
      ),
    },
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
};

/** What a reply costs that is read from SQLite: one plant, and lists of them. Parameters and replies are validated. */
async function measureReads({ connections: [connections], tell, ...options }) {
  using folder = makeFolder();
  const [contract, database] = ['reads.json', 'plants.db'].map((name) => join(folder.path, name));
  writeFileSync(contract, JSON.stringify(CONTRACT));
  const { add } = await openInsert(database);
  for (let id = 1; id <= PLANTS; id++) add(toPlant(id));
  const contenders = SERVERS.map((name) => ({
    name,
    script: name.replace(/[ :]/, '-'),
    args: ['--contract', contract, '--reads', database],
    check: (_, port) => expectReplies(name, port, name === 'node:http' ? READ : [...READ, ...REFUSED]),
  }));
  await using started = await startServers(contenders, tell);
  const tables = [];
  for (const limit of LIMITS) {
    const order = { connections, texts: toTexts(limit) };
    tables.push(toTable(limit, connections, await loadInRounds({ ...options, tell }, started.servers, order)));
  }
  return tables;
}

function toPlant(id) {
  return { id, name: `Rose ${id}`, tag: id % 3 === 0 ? 'climbing' : 'flower' };
}

/** Requests all over the table. */
function toTexts(limit) {
  return Array.from({ length: MOST }, (_, turn) => {
    const after = toFirst(limit, turn) - 1;
    return toRead(limit === 1 ? `/plants/${after + 1}` : `/plants?after=${after}&limit=${limit}`);
  });
}

function toFirst(limit, turn) {
  return Math.floor(((PLANTS - limit) * turn) / MOST) + 1;
}

function toTable(limit, connections, rows) {
  const fastify = rows.find(({ name }) => name === FASTIFY);
  return {
    title: `Reads: ${limit === 1 ? 'one plant' : `lists of ${limit}`}, ${connections} connections`,
    head: ['server', 'requests/s', 'min-max', '/ Fastify', 'CPU / Fastify', ...THROUGHPUT],
    rows: rows.map((row) =>
      toRow(row, [toRatio(rows, row, FASTIFY), medianRatio(toCpu(row.results), toCpu(fastify.results))]),
    ),
    notes: [
      'all servers read the same SQLite file with the same SQL; all but ours read it on their main thread, and get doubles',
      ...toNotes(rows),
    ],
  };
}

module.exports = { measureReads };
