'use strict';
const { createServer } = require('node:http');
const { openStore, serve } = require('./serve.js');

// What Node itself can do: the body is read and parsed, the reply written, and nothing is looked at.

async function main() {
  const store = await openStore();
  const server = createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', async () => {
      const { id, name, tag } = JSON.parse(Buffer.concat(chunks).toString());
      // What the store of the service takes.
      await store.add({ id: BigInt(id), name, tag });
      write(res, { name, tag });
    });
  });
  await serve(server);
}

function write(res, value, others = {}) {
  const text = JSON.stringify(value);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...others };
  res.writeHead(200, headers).end(text);
}

void main();
