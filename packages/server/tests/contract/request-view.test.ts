import express, { type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import request from 'supertest';
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import type { RequestView } from '../../src/auth/request-view';
import { createRenderer } from '../../src/errors/create-renderer';
import { serveContract, type ServiceOptions } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';

const CONTRACT = `openapi: 3.1.0
info: { title: Views, version: 1.0.0 }
security: [{ cookieAuth: [] }]
paths:
  /a:
    get:
      operationId: a
      responses:
        '200': { description: Done., content: { application/json: { schema: {} } } }
        default: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
components:
  securitySchemes: { cookieAuth: { type: apiKey, in: cookie, name: sid } }
  schemas: { Error: { type: object, required: [id], properties: { id: { type: string, format: uuid } } } }
`;
const ID = '0b5a7c1e-6a0f-4a3e-9d2b-1c2d3e4f5a6b';

type Session = RequestView & { readonly session: { user: string; visits: number } };

/** A session, as express-session sets it. */
const session: RequestHandler = (req, _res, next) => {
  Object.assign(req, { session: { user: 'rose', visits: 1 } });
  next();
};

async function serve(handler: (req: Session) => unknown, options: Partial<ServiceOptions> = {}) {
  const contract = loadText(CONTRACT);
  const app = express().use(session);
  app.use(
    await serveContract({
      contract,
      validator: OpenApiValidator,
      handlers: { a: ({ req }: { req: Session }, reply: (...args: unknown[]) => unknown) => reply(200, handler(req)) },
      verifiers: { cookieAuth: (_sid, req) => ({ subject: (req as Session).session.user }) },
      render: createRenderer({ contract, renderError: ({ requestId }) => ({ id: requestId }) }),
      log: createLog('silent'),
      ...options,
    }),
  );
  return listenOnLoopback(createServer(app));
}

test('a handler and a verifier get what middleware found', async () => {
  await using app = await serve(({ session: { user }, ip, hostname, method }) => {
    return [user, typeof ip, hostname, method];
  });
  await request(app.server).get('/a').set('Cookie', 'sid=1').expect(200, ['rose', 'string', '127.0.0.1', 'GET']);
});

test('a session may change, and the request itself may not, nor may its body be read', async () => {
  const changes: ((req: Record<string, unknown>) => void)[] = [
    (req) => (req['user'] = 1),
    (req) => delete req['session'],
    (req) => Object.defineProperty(req, 'user', { value: 1 }),
  ];
  await using app = await serve((req) => {
    req.session.visits += 1;
    const failed = changes.filter((change) => {
      try {
        change(req as never);
        return false;
      } catch {
        return true;
      }
    });
    return [req.session.visits, failed.length, typeof Reflect.get(req, 'pipe'), req.get('cookie')];
  });
  await request(app.server).get('/a').set('Cookie', 'sid=1').expect(200, [2, 3, 'undefined', 'sid=1']);
});

test('renderError gets the id of the request', async () => {
  await using app = await serve(() => undefined);
  await request(app.server).get('/a').set('X-Request-Id', ID).expect(401, { id: ID });
  await request(app.server).get('/nothing').set('X-Request-Id', ID).expect(404, { id: ID });
});

test('an id that the contract does not allow in an error is not sent in it', async () => {
  await using app = await serve(() => undefined);
  const reply = await request(app.server).get('/a').set('X-Request-Id', 'not-a-uuid').expect(401);
  expect(reply.headers).toMatchObject({ 'x-request-id': 'not-a-uuid', 'content-type': 'application/problem+json' });
  expect(reply.text).not.toContain('not-a-uuid');
});
