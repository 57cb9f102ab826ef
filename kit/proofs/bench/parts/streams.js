'use strict';
const assert = require('node:assert');
const { once } = require('node:events');
const { writeFileSync } = require('node:fs');
const { get, request } = require('node:http');
const { join } = require('node:path');
const { inRounds, makeFolder, start } = require('../start-servers.js');
const { median, medianRatio } = require('../statistics.js');
const { AUTHORIZATION } = require('../workload.js');

const BARE = 'node:http';
const SERVERS = ['ours', BARE];
const [ITEMS, CHUNKS, CHUNK] = [1_000_000, 16_384, Buffer.alloc(65_536, 'a')];
const READING = {
  type: 'object',
  required: ['bed', 'value'],
  properties: { bed: { type: 'integer' }, value: { type: 'number' } },
};
const BYTES = 'application/octet-stream';
const toReply = (content) => ({ 200: { description: 'It is this.', content } });
const CONTRACT = {
  openapi: '3.2.0',
  info: { title: 'Streams', version: '1.0.0' },
  security: [{ bearerAuth: [] }],
  paths: {
    '/items': {
      get: { operationId: 'sendItems', responses: toReply({ 'application/jsonl': { itemSchema: READING } }) },
    },
    '/bytes': {
      get: { operationId: 'sendBytes', responses: toReply({ [BYTES]: {} }) },
      post: {
        operationId: 'takeBytes',
        requestBody: { required: true, 'x-body-limit': '2gb', content: { [BYTES]: {} } },
        responses: { 204: { description: 'Taken.' } },
      },
    },
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
};
const STREAMS = [
  ['a million small items', (port) => receive(port, '/items')],
  ['a gigabyte out', (port) => receive(port, '/bytes')],
  ['a gigabyte in', upload],
];

/** What large replies and bodies take, beside node:http, which checks nothing. */
async function measureStreams({ tell, rounds }) {
  using folder = makeFolder();
  const contract = join(folder.path, 'streams.json');
  writeFileSync(contract, JSON.stringify(CONTRACT));
  await using started = new AsyncDisposableStack();
  const servers = [];
  for (const name of SERVERS) {
    const args = ['--contract', contract, '--items', String(ITEMS), '--chunks', String(CHUNKS)];
    servers.push({ name, ...started.use(await start(`./servers/${name.replace(':', '-')}.js`, { args })) });
  }
  const tables = [];
  for (const [title, send] of STREAMS) {
    tell(title);
    const measure = async ({ hello, ask }) => {
      const [before, begin] = [await ask('usage'), performance.now()];
      const size = await send(hello.port);
      const milliseconds = performance.now() - begin;
      return { size, milliseconds, cpu: ((await ask('usage')).cpu - before.cpu) / 1_000 };
    };
    const rows = await inRounds({ rounds, tell }, servers, { warmUp: measure, measure });
    tables.push(toTable(title, rows));
  }
  return tables;
}

async function receive(port, path) {
  const [reply] = await once(get({ port, path, headers: { authorization: AUTHORIZATION }, agent: false }), 'response');
  assert.equal(reply.statusCode, 200);
  let size = 0;
  for await (const chunk of reply) size += chunk.length;
  return size;
}

async function upload(port) {
  const headers = { authorization: AUTHORIZATION, 'content-type': BYTES };
  const sent = request({ port, path: '/bytes', method: 'POST', headers, agent: false });
  const replied = once(sent, 'response');
  for (let count = 0; count < CHUNKS; count++) if (!sent.write(CHUNK)) await once(sent, 'drain');
  sent.end();
  const [reply] = await replied;
  assert.equal(reply.resume().statusCode, 204);
  return CHUNKS * CHUNK.length;
}

function toTable(title, rows) {
  const [bare] = rows.filter(({ name }) => name === BARE);
  const valuesOf = ({ results }, part) => results.map((result) => result[part]);
  assert.equal(new Set(rows.flatMap((row) => valuesOf(row, 'size'))).size, 1, `${title}: not the same bytes`);
  return {
    title: `Streams: ${title}`,
    head: ['server', 'ms', 'CPU ms', 'CPU / node:http'],
    rows: rows.map((row) => [
      row.name,
      ...['milliseconds', 'cpu'].map((part) => median(valuesOf(row, part)).toFixed(0)),
      medianRatio(valuesOf(row, 'cpu'), valuesOf(bare, 'cpu')).toFixed(2),
    ]),
    notes: title.endsWith(' in') ? ['both servers keep the gigabyte in a temporary file until they reply'] : [],
  };
}

module.exports = { measureStreams };
