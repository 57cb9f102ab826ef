'use strict';
const { once } = require('node:events');

const HOST = '127.0.0.1';

/** Lets a server listen on a free port and tells the parent which; then answers the parent's questions. */
async function serve(server) {
  process.on('message', () => process.send(usage()));
  // The parent is gone: nobody is left to stop this process.
  process.on('disconnect', () => process.exit());
  await once(server.listen(0, HOST), 'listening');
  const { port } = server.address();
  process.send({ port });
}

/** Bytes, after the garbage is gone where --expose-gc lets it be collected, and microseconds of processor time so far. */
function usage() {
  // Twice: what the first one finalizes is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed, ...process.cpuUsage() };
}

module.exports = { serve, usage };
