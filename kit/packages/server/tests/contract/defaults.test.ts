import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import request from 'supertest';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { THINGS, TOKEN } from '@contract-kit/test-support/start-things';
import { createTokenVerifier } from '../../src/auth/tokens';
import { createDocs } from '../../src/docs/create-docs';
import { refuseErrors, trackRequests } from '../../src/http/server';
import { serveContract } from '../../src/pipeline/serve-contract';
import { createServer } from '../../src/runtime/create-server';

const WITHOUT_ERRORS = THINGS.replaceAll(/^ +'[45].*\n/gm, '');

test('each part of an application needs no more than the contract', async () => {
  const contract = loadText(WITHOUT_ERRORS);
  const app = express().use(trackRequests({}), createDocs({ contract }));
  app.get('/broken', () => {
    throw new Error('middleware fails');
  });
  const handlers = {
    createThing: ({ body: { name } }: { body: { name: string } }, reply: (status: number, body: object) => object) =>
      reply(200, { name }),
  } as never;
  const verifiers = { bearerAuth: createTokenVerifier([TOKEN]) };
  app.use(
    await serveContract({ contract, validator: OpenApiValidator, handlers, verifiers }),
    refuseErrors({ contract }),
  );
  await using served = await listenOnLoopback(createServer(app, { contract }));
  const post = (body: object): request.Test =>
    request(served.server).post('/things').auth(TOKEN, { type: 'bearer' }).send(body);
  expect((await post({ id: 1, name: 'a' }).expect(200)).body).toEqual({ name: 'a' });
  expect((await post({ id: 1 }).expect(400)).body).toMatchObject({ title: 'Bad Request' });
  const broken = await request(served.server).get('/broken').expect(500);
  expect(broken.body).toMatchObject({ title: 'Internal Server Error' });
  await request(served.server).get('/docs/').expect(200);
});
