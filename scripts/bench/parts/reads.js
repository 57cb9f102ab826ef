'use strict';
const assert = require('node:assert');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { openDatabase } = require('../../../packages/store/dist/sqlite/commit.js');
const { prepareSchema, toInserts } = require('../../../packages/store/dist/sqlite/prepare-schema.js');
const { plantSchema } = require('../../../dist/store/plant-schema.js');
const { request } = require('../load/request.js');
const { THROUGHPUT, medianRatio, toNotes, toRatio, toRow } = require('../statistics.js');
const { inRounds, withFolder, withServers } = require('../with-servers.js');
const { AUTHORIZATION } = require('../workload.js');

const FASTIFY = 'fastify-openapi-glue';
const SERVERS = [
  ['ours', 'ours-operations'],
  [FASTIFY, 'fastify-openapi-glue'],
  ['eov documented', 'eov-documented'],
  ['node:http', 'node-http'],
];
const PLANTS = 10_000;
const MOST = 20;
const LISTS = [20, 100, 1_000];
const HEADERS = { authorization: AUTHORIZATION };

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
function measureReads({ rounds, seconds, connections: [connections] }, tell) {
  return withFolder(async (folder) => {
    const [contract, database] = [join(folder, 'reads.json'), join(folder, 'plants.db')];
    writeFileSync(contract, JSON.stringify(CONTRACT));
    await addPlants(database);
    const contenders = SERVERS.map(([name, script]) => ({
      name,
      script,
      args: ['--contract', contract, '--reads', database],
      check: (port) => checkReads(name, port, script !== 'node-http'),
    }));
    return await withServers({ contenders, tell }, async (servers) => {
      const tables = [];
      for (const limit of [1, ...LISTS]) {
        const order = { connections, texts: toTexts(limit) };
        const rows = await inRounds({ rounds, tell }, servers, {
          warmUp: ({ load }) => load({ ...order, seconds: 2 }),
          measure: ({ load }) => load({ ...order, seconds }),
        });
        tables.push(toTable(limit, connections, rows));
      }
      return tables;
    });
  });
}

async function addPlants(file) {
  await prepareSchema(file, plantSchema);
  const database = openDatabase(file);
  const insert = database.prepare(toInserts(plantSchema)[0]);
  database.exec('BEGIN');
  for (let id = 1; id <= PLANTS; id++) insert.run(id, `Rose ${id}`, id % 3 === 0 ? 'climbing' : 'flower');
  database.exec('COMMIT');
  database.close();
}

/** Requests all over the table. */
function toTexts(limit) {
  return Array.from({ length: MOST }, (_, turn) => {
    const after = Math.floor(((PLANTS - limit) * turn) / MOST);
    const path = limit === 1 ? `/plants/${after + 1}` : `/plants?after=${after}&limit=${limit}`;
    return { method: 'GET', path, headers: HEADERS, body: '' };
  });
}

async function checkReads(name, port, enforces) {
  const ids = (limit, after) => Array.from({ length: limit }, (_, index) => after + 1 + index);
  for (const limit of [1, ...LISTS]) {
    const { status, text } = await request(port, toTexts(limit)[1]);
    assert.equal(status, 200, `${name}: ${text}`);
    const after = Math.floor((PLANTS - limit) / MOST);
    assert.deepEqual(
      [JSON.parse(text)].flat().map(({ id }) => id),
      ids(limit, after),
      name,
    );
  }
  if (!enforces) return;
  for (const [path, headers, wanted] of [
    ['/plants/1', {}, 401],
    ['/plants/x', HEADERS, 400],
    ['/plants?after=0&limit=2000', HEADERS, 400],
  ]) {
    const { status } = await request(port, { method: 'GET', path, headers, body: '' });
    assert.equal(status, wanted, `${name}: ${path}`);
  }
}

function toTable(limit, connections, rows) {
  const cpuOf = ({ results }) => results.map(({ serverCpu: { user, system }, requests }) => (user + system) / requests);
  const fastify = rows.find(({ name }) => name === FASTIFY);
  return {
    title: `Reads: ${limit === 1 ? 'one plant' : `lists of ${limit}`}, ${connections} connections`,
    head: ['server', 'requests/s', 'min-max', '/ Fastify', 'CPU / Fastify', ...THROUGHPUT],
    rows: rows.map((row) => toRow(row, [toRatio(rows, row, FASTIFY), medianRatio(cpuOf(row), cpuOf(fastify))])),
    notes: ['the same file of SQLite and SQL; all but ours read on their main thread, as doubles', ...toNotes(rows)],
  };
}

module.exports = { measureReads };
