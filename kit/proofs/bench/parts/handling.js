'use strict';
const { THROUGHPUT, toNotes, toRatio, toRow } = require('../statistics.js');
const { loadInRounds, start, startServers } = require('../start-servers.js');
const { HEADERS, request, toCreation } = require('../workload.js');

const OURS = { name: 'ours', script: 'ours' };
const EOV = { name: 'eov documented', script: 'eov-documented' };
const CONTENDERS = [
  OURS,
  { name: 'ours, logging', script: 'ours', args: ['--logging'] },
  EOV,
  { name: 'bare express', script: 'bare-express', enforces: false },
  { name: 'fastify-openapi-glue', script: 'fastify-openapi-glue' },
  { name: 'node:http', script: 'node-http', enforces: false },
];
const SPELLINGS = 3_000;
const AT_ONCE = 8;

/** What requests cost without a store, beside other ways to serve the contract. */
async function measureHandling({ connections: [connections], tell, ...options }) {
  await using started = await startServers(CONTENDERS, tell);
  const rows = await loadInRounds({ ...options, tell }, started.servers, { connections, texts: [toCreation('1')] });
  const notes = toNotes(rows);
  for (const { name, script } of [OURS, EOV]) {
    tell(`memory: ${name}`);
    notes.push(`memory after ${SPELLINGS} spellings of Content-Type, ${name}: ${await measureSpellings(script)}`);
  }
  return [
    {
      title: `Requests without a store, ${connections} connections`,
      head: ['server', 'requests/s', 'min-max', '/ eov', '/ express', ...THROUGHPUT],
      rows: rows.map((row) => toRow(row, [toRatio(rows, row, EOV.name), toRatio(rows, row, 'bare express')])),
      notes,
    },
  ];
}

/** What clients can make a server keep: each request spells its Content-Type in a way of its own. */
async function measureSpellings(script) {
  await using server = await start(`./servers/${script}.js`, { execArgv: ['--expose-gc'] });
  const { port } = server.hello;
  await sendSpellings(port, () => 'application/json');
  const before = await server.ask('usage');
  const statuses = await sendSpellings(port, (x) => `application/json; x=${x}`);
  const after = await server.ask('usage');
  const [rss, heap] = ['rss', 'heapUsed'].map((part) => ((after[part] - before[part]) / 1024 ** 2).toFixed(1));
  const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  return `${rss} MB resident, ${heap} MB heap (${counts})`;
}

async function sendSpellings(port, toContentType) {
  const statuses = new Map();
  let next = 0;
  async function client() {
    while (next < SPELLINGS) {
      const headers = { ...HEADERS, 'content-type': toContentType(next++) };
      const { status } = await request(port, { ...toCreation('1'), headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return statuses;
}

module.exports = { measureHandling };
