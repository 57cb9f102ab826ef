'use strict';
const assert = require('node:assert');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { listOperations } = require('./list-operations.js');
const { makeContract } = require('./make-contract.js');
const { start } = require('../child.js');
const { request } = require('../load/request.js');
const { median, THROUGHPUT, toNotes, toRange, toRatio, toRow } = require('../statistics.js');
const { inRounds, withFolder, withServers } = require('../with-servers.js');
const { HEADERS } = require('../workload.js');

const SERVERS = [
  ['ours', 'ours-operations'],
  ['eov documented', 'eov-documented'],
  ['fastify-openapi-glue', 'fastify-openapi-glue'],
];
const COUNTS = [1, 100, 500];
/** How many of the operations are asked in turn, at most. */
const MOST = 20;
// Each operation has code of its own, which gets a twentieth of the requests: it takes longer to be optimized.
const WARM_UP_SECONDS = 8;
const [ID, AFTER] = [1234567890, 41];
const BODY = { name: 'Rose', amount: 12, kind: 'shrub', tags: ['red', 'old'] };
/** What each operation replies; the limit is the default of the contract. */
const REPLY = { id: ID, after: AFTER, limit: 20, ...BODY };

/** Whether a request, a start and memory cost more the more operations there are. */
function measureOperations({ rounds, seconds, connections: [connections] }, tell) {
  return withFolder(async (folder) => {
    const contenders = SERVERS.flatMap(([server, script]) =>
      COUNTS.map((count) => createContender(folder, server, script, count)),
    );
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
    const rows = await withServers({ contenders, tell }, (servers) =>
      inRounds({ rounds, tell }, loads, {
        warmUp: ({ place, order }) => servers[place].load({ ...order, seconds: WARM_UP_SECONDS }),
        measure: ({ place, order }) => servers[place].load({ ...order, seconds }),
      }),
    );
    return [toThroughputTable(rows, connections), toStartTable(starts)];
  });
}

function createContender(folder, server, script, count) {
  const file = join(folder, `${count}.yaml`);
  writeFileSync(file, makeContract(count));
  const name = `${server}, ${count}`;
  const args = ['--contract', file, '--operations', String(count)];
  return { name, count, script, args, check: (port) => checkOperations(name, port, count) };
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

/** Makes sure that operations reply what they should, and that the first and the last one refuse what they should. */
async function checkOperations(name, port, count) {
  const texts = toTexts(count, Math.min(MOST, count));
  for (const text of texts) {
    const reply = await request(port, text);
    assert.equal(reply.status, 200, `${name}: ${text.path}: ${reply.text}`);
    assert.deepEqual(JSON.parse(reply.text), REPLY, `${name}: ${text.path}`);
  }
  for (const text of new Set([texts[0], texts.at(-1)])) {
    const { authorization: _, ...anonymous } = text.headers;
    const refusals = [
      [401, { ...text, headers: anonymous }],
      [400, { ...text, path: text.path.replace(String(ID), 'x') }],
      [400, { ...text, path: text.path.replace(String(ID), '0') }],
      [400, { ...text, path: `${text.path}&limit=101` }],
      [400, { ...text, path: text.path.replace(/after=\d+/, 'after=x') }],
      [400, { ...text, body: JSON.stringify({ ...BODY, name: '-' }) }],
      [400, { ...text, body: JSON.stringify({ ...BODY, amount: undefined }) }],
    ];
    for (const [wanted, refused] of refusals) {
      const { status, text: answer } = await request(port, refused);
      assert.equal(status, wanted, `${name}: ${refused.path} ${refused.body}: ${status} ${answer}`);
    }
  }
}

/** From spawning the process to its first 200, and its memory then. */
async function measureStart({ name, script, args, count }) {
  const [text] = toTexts(count, 1);
  const begin = performance.now();
  const server = await start(`./servers/${script}.js`, { args });
  try {
    const { status } = await request(server.hello.port, text);
    const milliseconds = performance.now() - begin;
    if (status !== 200) throw new Error(`${name}: the first reply was ${status}`);
    const { rss } = await server.ask('usage');
    return { milliseconds, megabytes: rss / 1024 ** 2 };
  } finally {
    await server.stop();
  }
}

function toThroughputTable(rows, connections) {
  return {
    title: `Requests by the number of operations, ${connections} connections`,
    head: ['server, operations', 'requests/s', 'min-max', '/ 1', ...THROUGHPUT],
    rows: rows.map((row) => toRow(row, [toRatio(rows, row, row.name.replace(/, \d.*/, ', 1'))])),
    notes: [
      '/ 1: to the same server with one operation; all requests go to one operation, or to 20 of them in turn',
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
      'from spawning the process to its first 200, and its memory then',
      'ours has compiled all operations by then; eov documented compiles each when its first request comes',
    ],
  };
}

module.exports = { measureOperations };
