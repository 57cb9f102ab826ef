'use strict';
const { createServer } = require('node:http');
const { openNursery, openStore, serve, store: kind } = require('./serve.js');

// What Node itself can do: the body is read and parsed, the reply written, and nothing is looked at.

async function main() {
  if (kind === 'nursery') return serve(createServer(toRead(openNursery())));
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

function toRead({ readPlant, listPlants }) {
  return ({ url }, res) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const id = pathname.split('/')[3];
    if (!id) return write(res, listPlants(searchParams.get('after'), Number(searchParams.get('limit'))));
    const { plant, version } = readPlant(id);
    write(res, plant, { ETag: `"${version}"` });
  };
}

function write(res, value, others = {}) {
  const text = JSON.stringify(value);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...others };
  res.writeHead(200, headers).end(text);
}

void main();
