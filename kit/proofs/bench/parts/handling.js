'use strict';
const { THROUGHPUT, toNotes, toRatio, toRow } = require('../statistics.js');
const { loadInRounds, start, startServers } = require('../start-servers.js');
const { HEADERS, OTHER_HEADERS, request, toCreation } = require('../workload.js');

const OURS = { name: 'ours', script: 'ours' };
const EOV = { name: 'eov documented', script: 'eov-documented' };
/** What the servers that enforce the contract refuse. */
const REFUSED = {
  400: { ...toCreation('1'), body: '{"id":"x","name":5}' },
  401: { ...toCreation('1'), headers: OTHER_HEADERS },
};
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
  const enforcing = started.servers.filter((_, place) => CONTENDERS[place].enforces !== false);
  const loads = [
    ...started.servers.map(({ name, load }) => ({
      name,
      load: (order) => load({ ...order, texts: [toCreation('1')] }),
    })),
    ...Object.entries(REFUSED).flatMap(([status, text]) =>
      enforcing.map(({ name, load }) => ({
        name: `${name}, ${status}`,
        load: (order) => load({ ...order, texts: [text], status }),
      })),
    ),
  ];
  const rows = await loadInRounds({ ...options, tell }, loads, { connections });
  const notes = ['a row with 400 or 401 is of requests that get this reply', ...toNotes(rows)];
  for (const { name, script } of [OURS, EOV]) {
    tell(`memory: ${name}`);
    notes.push(`memory after ${SPELLINGS} spellings of Content-Type, ${name}: ${await measureSpellings(script)}`);
  }
  return [
    {
      title: `Requests without a store, ${connections} connections`,
      head: ['server', 'requests/s', 'min-max', '/ eov', '/ express', ...THROUGHPUT],
      rows: rows.map((row) => {
        const [request = ''] = row.name.match(/, 40\d$/) ?? [];
        return toRow(row, [toRatio(rows, row, EOV.name + request), toRatio(rows, row, 'bare express')]);
      }),
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
