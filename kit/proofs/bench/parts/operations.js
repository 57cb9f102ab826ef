'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { load } = require('js-yaml');
const { listOperations } = require('../servers/serve.js');
const { inRounds, makeFolder, start, startServers } = require('../start-servers.js');
const { median, THROUGHPUT, toNotes, toRange, toRatio, toRow } = require('../statistics.js');
const { CONTRACT, expectReplies, HEADERS, request, WITHOUT_TOKEN } = require('../workload.js');

const SERVERS = ['ours', 'eov documented', 'fastify-openapi-glue'];
const COUNTS = [1, 100, 500];
/** How many of the operations are asked in turn, at most. */
const MOST = 20;
// Each operation has code of its own, which gets a twentieth of the requests: it takes longer to be optimized.
const WARM_UP_SECONDS = 8;
const [ID, AFTER] = [1234567890, 41];
const BODY = { name: 'Rose', amount: 12, kind: 'shrub', tags: ['red', 'old'] };
/** What each operation replies; the limit is the default of the contract. */
const REPLY = { id: ID, after: AFTER, limit: 20, ...BODY };

// Contracts of any size whose operations all ask for the same work, so that nothing but their number differs: a path
// and a query parameter of int64, a body, and a reply that repeats them. Each resource has schemas of its own.

const ID_SCHEMA = { type: 'integer', format: 'int64', minimum: 1 };
const NAME = { type: 'string', minLength: 1, maxLength: 60, pattern: '^[A-Za-z0-9 ]*$' };
const TAGS = { type: 'array', maxItems: 5, items: { type: 'string', pattern: '^[a-z]{1,12}$' } };
const KIND = { type: 'string', enum: ['tree', 'shrub', 'herb'] };
const PARAMETERS = [
  { name: 'id', in: 'path', required: true, schema: ID_SCHEMA },
  { name: 'after', in: 'query', required: true, schema: { type: 'integer', format: 'int64', minimum: 0 } },
  { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 } },
];
const REPLIES = { 400: 'BadRequest', 401: 'Unauthorized', 500: 'InternalServerError', 503: 'ServiceUnavailable' };

/** Whether a request, a start and memory cost more the more operations there are. */
async function measureOperations({ rounds, seconds, connections: [connections], tell }) {
  using folder = makeFolder();
  const contenders = SERVERS.flatMap((server) => COUNTS.map((count) => createContender(folder.path, server, count)));
  const starts = await inRounds({ rounds, tell }, contenders, { measure: measureStart });
  const loads = contenders.flatMap(({ name, count }, place) =>
    [1, MOST]
      .filter((several) => several <= count)
      .map((several) => ({
        name: several === 1 ? name : `${name}, ${several} in turn`,
        order: { connections, texts: toTexts(count, several) },
        place,
      })),
  );
  await using started = await startServers(contenders, tell);
  const rows = await inRounds({ rounds, tell }, loads, {
    warmUp: ({ place, order }) => started.servers[place].load({ ...order, seconds: WARM_UP_SECONDS }),
    measure: ({ place, order }) => started.servers[place].load({ ...order, seconds }),
  });
  return [toThroughputTable(rows, connections), toStartTable(starts)];
}

function createContender(folder, server, count) {
  const file = join(folder, `${count}.yaml`);
  writeFileSync(file, JSON.stringify(makeContract(count)));
  return {
    name: `${server}, ${count}`,
    count,
    script: server.replace(' ', '-'),
    args: ['--contract', file, '--operations', String(count)],
    check: (name, port) => expectReplies(name, port, listCases(count)),
  };
}

/**
 * Requests for operations from the first to the last, at equal distances. Not for all: the first one for an operation
 * may take a server most of a second.
 */
function toTexts(count, several) {
  const operations = listOperations(count);
  return Array.from({ length: several }, (_, turn) => {
    const place = Math.round(several === 1 ? (count - 1) / 2 : (turn * (count - 1)) / (several - 1));
    const { method, path } = operations[place];
    return {
      method: method.toUpperCase(),
      path: `${path.replace('{id}', String(ID))}?after=${AFTER}`,
      headers: HEADERS,
      body: JSON.stringify(BODY),
    };
  });
}

/** Operations reply what they should, and the first and the last one refuse what they should. */
function listCases(count) {
  const texts = toTexts(count, Math.min(MOST, count));
  const refused = [texts[0], texts.at(-1)].flatMap((text) => [
    [401, { ...text, headers: WITHOUT_TOKEN }],
    [400, { ...text, path: text.path.replace(String(ID), 'x') }],
    [400, { ...text, path: text.path.replace(String(ID), '0') }],
    [400, { ...text, path: `${text.path}&limit=101` }],
    [400, { ...text, path: text.path.replace(/after=\d+/, 'after=x') }],
    [400, { ...text, body: JSON.stringify({ ...BODY, name: '-' }) }],
    [400, { ...text, body: JSON.stringify({ ...BODY, amount: undefined }) }],
  ]);
  return [...texts.map((text) => [200, text, REPLY]), ...refused];
}

/** From spawning the process to its first 200, and its memory then. */
async function measureStart({ name, script, args, count }) {
  const [text] = toTexts(count, 1);
  const begin = performance.now();
  await using server = await start(`./servers/${script}.js`, { args });
  const { status } = await request(server.hello.port, text);
  const milliseconds = performance.now() - begin;
  if (status !== 200) throw new Error(`${name}: the first reply was ${status}`);
  const { rss } = await server.ask('usage');
  return { milliseconds, megabytes: rss / 1024 ** 2 };
}

function toThroughputTable(rows, connections) {
  return {
    title: `Requests by the number of operations, ${connections} connections`,
    head: ['server, operations', 'requests/s', 'min-max', '/ 1', ...THROUGHPUT],
    rows: rows.map((row) => toRow(row, [toRatio(rows, row, row.name.replace(/, \d.*/, ', 1'))])),
    notes: [
      '/ 1: this compares with the same server with one operation; requests take turns among at most 20 operations',
      ...toNotes(rows),
    ],
  };
}

function toStartTable(starts) {
  return {
    title: 'Start by the number of operations',
    head: ['server, operations', 'first 200 ms', 'min-max', 'resident MB'],
    rows: starts.map(({ name, results }) => [
      name,
      ...toRange(results.map(({ milliseconds }) => milliseconds)),
      median(results.map(({ megabytes }) => megabytes)).toFixed(0),
    ]),
    notes: [
      'first 200 ms: this is the time from spawning the process to its first 200; resident MB is its memory then',
      'by then, ours has compiled all operations; eov documented compiles each one at its first request',
    ],
  };
}

function makeContract(count) {
  // What goes wrong is declared as the service does it.
  const { components } = load(readFileSync(CONTRACT, 'utf8'));
  const paths = {};
  const schemas = { Error: components.schemas.Error };
  for (const { id, path, method, resource } of listOperations(count)) {
    paths[path] = { ...paths[path], [method]: toOperation(id, resource) };
    Object.assign(schemas, toSchemas(resource));
  }
  const { securitySchemes, responses } = components;
  return {
    openapi: '3.0.3',
    info: { title: `${count} operations`, version: '1.0.0' },
    servers: [{ url: '/' }],
    security: [{ bearerAuth: [] }],
    paths,
    components: { securitySchemes, schemas, responses },
  };
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
  const more = { type: 'object', required: ['id', 'after', 'limit'], properties: { id: ID_SCHEMA, after, limit } };
  return {
    [`new-${resource}`]: {
      type: 'object',
      required: ['name', 'amount'],
      properties: { name: NAME, amount: { type: 'integer', format: 'int64' }, kind: KIND, tags: TAGS },
    },
    [resource]: { allOf: [{ $ref: `#/components/schemas/new-${resource}` }, more] },
  };
}

module.exports = { measureOperations };
