// @ts-check
'use strict';
const { once } = require('node:events');

/**
 * Lets a server listen on a free port and tells the parent which; it ends with its parent.
 *
 * @param {import('node:http').Server} server
 */
async function serve(server) {
  process.on('disconnect', () => process.exit());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ port });
}

/** The largest body that the servers written by hand take, in bytes. */
const MAX_BODY = 2 * 1024 ** 2;

/**
 * Reads the whole body of a request; undefined for one that is too large.
 *
 * @param {import('node:http').IncomingMessage} req
 */
async function readBody(req) {
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
  }
  return length > MAX_BODY ? undefined : Buffer.concat(chunks);
}

module.exports = { MAX_BODY, readBody, serve };
