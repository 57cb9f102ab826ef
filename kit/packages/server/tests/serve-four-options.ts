// Serves the contract in the file that it is given: each part of the application gets only the options that it requires.
// Prints what the service logs, and at the end its replies.
import { readFileSync } from 'node:fs';
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { createTokenVerifier } from '../src/auth/tokens';
import { createDocs } from '../src/docs/create-docs';
import { refuseErrors, trackRequests } from '../src/http/server';
import type { UntypedHandler } from '../src/pipeline/pipeline';
import { serveContract } from '../src/pipeline/serve-contract';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { createServer } from '../src/runtime/create-server';

const createThing: UntypedHandler = ({ body }, reply) => {
  const { name } = body as { name: string };
  if (name === 'bug') throw new Error('a bug of the handler');
  return reply(200, { name });
};

async function main([file = '', path = '']: readonly string[]): Promise<void> {
  const contract = loadText(readFileSync(file, 'utf8'));
  const operations = await serveContract({
    contract,
    validator: OpenApiValidator,
    handlers: { createThing },
    verifiers: { bearerAuth: createTokenVerifier(['a-token-for-the-tests']) },
  });
  const app = express().use(trackRequests({}), createDocs({ contract }));
  app.get('/broken', () => {
    throw new Error('middleware fails');
  });
  app.use(operations, refuseErrors({ contract }));
  const server = await listenOnLoopback(createServer(app, { contract }));
  const valid = { Authorization: 'Bearer a-token-for-the-tests' };
  const send = async (to: string, request?: RequestInit): Promise<string> => {
    const reply = await fetch(new URL(to, server.base), request);
    return `${String(reply.status)} ${String(reply.headers.get('content-type'))} ${await reply.text()}`;
  };
  const post = (body: unknown, credentials: Record<string, string> = valid): Promise<string> =>
    send(path, {
      method: 'POST',
      headers: { ...credentials, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const right = await post({ id: 1, name: 'Rose' });
  const wrong = await post({ id: 1, name: 2 });
  const anonymous = await post({ id: 1, name: 'Rose' }, {});
  const failed = await post({ id: 1, name: 'bug' });
  const broken = await send('/broken');
  const [docs] = (await send('/v1/docs')).split(';');
  await server[Symbol.asyncDispose]();
  console.log(JSON.stringify({ right, wrong, anonymous, failed, broken, docs }));
}

void main(process.argv.slice(2));
