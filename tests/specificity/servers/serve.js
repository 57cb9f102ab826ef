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

module.exports = { serve };
