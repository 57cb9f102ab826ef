'use strict';
const { createServer } = require('node:http');
const { createWriteStream, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { createBytes, createItems, items, openNursery, openStore, serve, store: kind } = require('./serve.js');

// What Node itself can do: the body is read and parsed, the reply written, and nothing is looked at.

async function main() {
  if (items) return serve(createServer(stream));
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

async function stream(req, res) {
  if (req.method === 'POST') {
    const file = join(tmpdir(), `bench-${process.pid}`);
    await pipeline(req, createWriteStream(file));
    rmSync(file);
    res.writeHead(204).end();
  } else await pipeline(req.url === '/items' ? toLines(createItems()) : Readable.from(createBytes()), res);
}

async function* toLines(values) {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
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
