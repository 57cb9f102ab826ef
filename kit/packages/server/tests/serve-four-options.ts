// Serves the contract in the file that it is given, on Express, with the four required options of serveContract alone.
// Prints what the service logs, and at the end its replies.
import { readFileSync } from 'node:fs';
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { createTokenVerifier } from '../src/auth/tokens';
import type { UntypedHandler } from '../src/pipeline/pipeline';
import { serveContract } from '../src/pipeline/serve-contract';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { createServer } from 'node:http';

const createThing: UntypedHandler = ({ body }, reply) => {
  const { name } = body as { name: string };
  if (name === 'bug') throw new Error('a bug of the handler');
  return reply(200, { name });
};

async function main([file = '', path = '']: readonly string[]): Promise<void> {
  const operations = await serveContract({
    contract: loadText(readFileSync(file, 'utf8')),
    validator: OpenApiValidator,
    handlers: { createThing },
    verifiers: { bearerAuth: createTokenVerifier(['a-token-for-the-tests']) },
  });
  const server = await listenOnLoopback(createServer(express().use(operations)));
  const valid = { Authorization: 'Bearer a-token-for-the-tests' };
  const post = async (body: unknown, credentials: Record<string, string> = valid): Promise<string> => {
    const headers = { ...credentials, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${String(server.port)}${path}`;
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return `${String(reply.status)} ${String(reply.headers.get('content-type'))} ${await reply.text()}`;
  };
  const right = await post({ id: 1, name: 'Rose' });
  const wrong = await post({ id: 1, name: 2 });
  const anonymous = await post({ id: 1, name: 'Rose' }, {});
  const failed = await post({ id: 1, name: 'bug' });
  await server[Symbol.asyncDispose]();
  console.log(JSON.stringify({ right, wrong, anonymous, failed }));
}

void main(process.argv.slice(2));
