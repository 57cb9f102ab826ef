import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import express, { type Express, type Request } from 'express';
import { toMessageClasses } from '../../src/http/server';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';

declare module 'express-serve-static-core' {
  interface Request {
    shout?: (text: string) => string;
  }
}

async function serve(app: Express, listener: (server: Server) => void = () => undefined): Promise<ListeningServer> {
  const server = createServer(toMessageClasses(app));
  listener(server);
  return listenOnLoopback(server.on('request', app));
}

async function get(
  { base }: ListeningServer,
  path: string,
  headers = {},
): Promise<{ status: number; text: string; type: string | null }> {
  const reply = await fetch(new URL(path, base), { headers: { connection: 'close', ...headers } });
  return { status: reply.status, text: await reply.text(), type: reply.headers.get('content-type') };
}

const JSON_TYPE = 'application/json; charset=utf-8';

test('a request and its response have the prototypes of the application before Express sees them', async () => {
  const app = express().get('/', (_req, res) => void res.json({ is: 'there' }));
  const seen: unknown[] = [];
  await using server = await serve(app, (one) =>
    one.on('request', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
      seen.push(req instanceof IncomingMessage, res instanceof ServerResponse, Object.hasOwn(req, 'app'));
    }),
  );
  expect(await get(server, '/')).toEqual({ status: 200, text: '{"is":"there"}', type: JSON_TYPE });
  expect(seen).toEqual([true, true, true, true, false]);
});

test('what Express promises of them holds: app, req, res, an application in another, methods that a team adds', async () => {
  const inner = express();
  inner.request.shout = (text) => `${text}!`;
  const outer = express().set('trust proxy', true);
  const told = (req: Request, app: Express): unknown[] => [
    ...[req.app === app, req.res?.app === app, req.res?.req === req, req.ip, req.get('X-Name')],
    ...[req.baseUrl, req.path, req.query, req.shout?.('ho')],
  ];
  inner.get('/told', (req, res, next) => {
    res.locals['inner'] = told(req, inner);
    next();
  });
  outer.use('/inner', inner);
  outer.use(
    (req, res) =>
      void res
        .status(201)
        .vary('X-Name')
        .send({ inner: res.locals['inner'] as unknown, outer: told(req, outer) }),
  );
  await using server = await serve(outer);
  const reply = await get(server, '/inner/told?a=1', { 'X-Forwarded-For': '192.0.2.1', 'X-Name': 'Rose' });
  const both = [true, true, true, '192.0.2.1', 'Rose'];
  expect({ ...reply, text: JSON.parse(reply.text) as unknown }).toEqual({
    status: 201,
    type: JSON_TYPE,
    text: {
      inner: [...both, '/inner', '/told', { a: '1' }, 'ho!'],
      outer: [...both, '', '/inner/told', { a: '1' }, null],
    },
  });
});

test('an application that is not one of Express has those of node:http', () => {
  for (const members of [{}, { request: {} }, { request: null, response: null }]) {
    expect(toMessageClasses(Object.assign(() => undefined, members))).toEqual({});
  }
});
