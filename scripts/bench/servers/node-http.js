// @ts-check
'use strict';
const { createServer } = require('node:http');
const { serve } = require('./serve.js');

// What Node itself can do: the body is read and parsed, the reply written, and nothing is looked at.

const server = createServer((req, res) => {
  /** @type {Buffer[]} */
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { name, tag } = JSON.parse(Buffer.concat(chunks).toString());
    const text = JSON.stringify({ name, tag });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    res.writeHead(200, headers).end(text);
  });
});

void serve(server);
