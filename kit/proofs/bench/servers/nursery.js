'use strict';
const { once } = require('node:events');
const { createServer } = require('node:net');
const { TOKEN } = require('../workload.js');
const { database, reportUsage } = require('./serve.js');

// The process of examples/nursery, as its npm start runs it. It logs nothing of requests, since Fastify does not either.

async function main() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await once(probe.close(), 'close');
  const settings = { PORT: port, ADMIN_PORT: 0, DATABASE_URL: `file:${database}`, API_TOKENS: TOKEN };
  Object.assign(process.env, settings, { LOG_LEVEL: 'warn' });
  const send = process.send.bind(process);
  process.send = (message) => send(message === 'ready' ? { port } : message);
  reportUsage();
  // A service refuses options that it does not have; serve.js has read those of the benchmark.
  process.argv.length = 2;
  require('../../../examples/nursery/dist/main.js');
}

void main();
