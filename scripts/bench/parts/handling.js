'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { Agent } = require('node:http');
const { performance } = require('node:perf_hooks');
const { createInterface } = require('node:readline');
const { request } = require('../load/request.js');
const { THROUGHPUT, toNotes, toRange, toRatio, toRow } = require('../statistics.js');
const { inRounds, start, withFolder, withServers } = require('../with-servers.js');
const { HEADERS, MAIN, TOKEN } = require('../workload.js');

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
const STARTS = 5;
const TIMEOUT_MS = 20_000;
const SPELLINGS = 3_000;
const AT_ONCE = 8;

/** What requests cost without a store, beside other ways to serve the contract. */
async function measureHandling({ rounds, seconds, connections: [connections] }, tell) {
  const rows = await withServers({ contenders: CONTENDERS, generator: './load/autocannon.js', tell }, (servers) =>
    inRounds({ rounds, tell }, servers, {
      warmUp: ({ load }) => load({ connections, seconds: 2 }),
      measure: ({ load }) => load({ connections, seconds }),
    }),
  );
  const [{ results }] = await inRounds({ rounds: STARTS, tell }, [{ name: 'start-up' }], {
    measure: () => withFolder(measureStart),
  });
  const [time, range] = toRange(results);
  const notes = [`start-up: ${time} ms (${range})`];
  for (const { name, script } of [OURS, EOV]) {
    tell(`memory: ${name}`);
    notes.push(`memory after ${SPELLINGS} spellings of Content-Type, ${name}: ${await measureSpellings(script)}`);
  }
  return [
    {
      title: `Requests without a store, ${connections} connections`,
      head: ['server', 'requests/s', 'min-max', '/ eov', '/ express', ...THROUGHPUT],
      rows: rows.map((row) => toRow(row, [toRatio(rows, row, EOV.name), toRatio(rows, row, 'bare express')])),
      notes: [...toNotes(rows), ...notes],
    },
  ];
}

/** @returns milliseconds that the service takes from nothing to its first 200, with its database in a new folder */
async function measureStart(cwd) {
  const env = { PATH: process.env.PATH, PORT: '0', API_TOKENS: TOKEN };
  const begin = performance.now();
  const child = spawn(process.execPath, [MAIN], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { status } = await request(Number(new URL(JSON.parse(line).url).port));
    if (status !== 200) throw new Error(`the first reply was ${status}`);
    return performance.now() - begin;
  } finally {
    const kill = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    child.kill('SIGTERM');
    await exit;
    clearTimeout(kill);
  }
}

/** What clients can make a server keep: each request spells its Content-Type in a way of its own. */
async function measureSpellings(script) {
  const server = await start(`./servers/${script}.js`, { execArgv: ['--expose-gc'] });
  try {
    const { port } = server.hello;
    await sendSpellings(port, () => 'application/json');
    const before = await server.ask('usage');
    const statuses = await sendSpellings(port, (x) => `application/json; x=${x}`);
    const after = await server.ask('usage');
    const [rss, heap] = ['rss', 'heapUsed'].map((part) => toSigned((after[part] - before[part]) / 1024 ** 2));
    const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    return `${rss} MB resident, ${heap} MB heap (${counts})`;
  } finally {
    await server.stop();
  }
}

async function sendSpellings(port, toContentType) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map();
  let next = 0;
  async function client() {
    while (next < SPELLINGS) {
      const headers = { ...HEADERS, 'content-type': toContentType(next++) };
      const { status } = await request(port, { headers, agent });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client)).finally(() => agent.destroy());
  return statuses;
}

function toSigned(value) {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

module.exports = { measureHandling };
