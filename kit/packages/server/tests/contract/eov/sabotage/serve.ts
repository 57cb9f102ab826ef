// Serves two operations, and prints the statuses of a request that is right to both: `200 200`. Or it prints why it does not start.
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { serveContract } from '../../../../src/pipeline/serve-contract';
import { createContractServer } from '../../../../src/http/server';
import { FIXTURE_ERRORS } from '@contract-kit/test-support/fixture-errors';
import { loadText } from '@contract-kit/test-support/load-text';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { createRenderer } from '../../../../src/errors/create-renderer';

const SOURCE = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: add
      security: [{ bearerAuth: [] }]
      requestBody: { required: true, content: { application/json: { schema: &thing { type: object, required: [name], properties: { name: { type: string } } } } } }
      responses: { '200': { description: The thing., content: { application/json: { schema: *thing } } } }
    get:
      operationId: list
      responses: { '200': { description: Things., content: { application/json: { schema: { type: array, items: *thing } } } } }
components: { securitySchemes: { bearerAuth: { type: http, scheme: bearer } } }
`;

async function main(): Promise<void> {
  const contract = loadText(SOURCE);
  const render = createRenderer({ contract, ...FIXTURE_ERRORS });
  const parts = { render, report: () => undefined };
  const serving = await serveContract({
    ...parts,
    contract,
    validator: OpenApiValidator,
    handlers: {
      add: ({ body }: { body: object }, reply: (status: number, body: object) => object) => reply(200, body),
      list: (_request: object, reply: (status: number, body: object) => object) => reply(200, [{ name: 'a' }]),
    },
    verifiers: { bearerAuth: (token) => (token === 'right' ? {} : undefined) },
  });
  const server = await listenOnLoopback(createContractServer(express().use(serving), parts));
  Object.assign(globalThis, { isSabotaged: true });
  const url = `http://127.0.0.1:${String(server.port)}/things`;
  const headers = { authorization: 'Bearer right', 'content-type': 'application/json' };
  const added = await fetch(url, { method: 'POST', headers, body: '{"name":"a"}' });
  const listed = await fetch(url);
  console.log(added.status, listed.status);
  await server[Symbol.asyncDispose]();
}

main().catch((error: unknown) => {
  console.log((error as Error).message);
});
