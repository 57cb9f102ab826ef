import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { load } from 'js-yaml';
import request from 'supertest';
import { gzipSync } from 'node:zlib';
import multer from 'multer';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { until } from '@contract-kit/test-support/until';
import { createTokenVerifier } from '../../src/auth/tokens';
import { type ServiceOptions, serveContract } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { createHalf, createWatched, createWhole } from '../from-eov';
import { TOKEN } from '@contract-kit/test-support/start-things';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import type { Outcome } from '../../src/http/report';
import { refuseErrors, trackRequests } from '../../src/http/server';
import { passThrough } from '../../src/pipeline/handler';

const PAGE = readFileSync('docs/from-express-openapi-validator.md', 'utf8');
const CONTRACT = `openapi: 3.0.3
info: { title: Plants, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /plants/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: findPlant, responses: { '200': { $ref: '#/components/responses/Plant' } } }
    put:
      operationId: putPlant
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } } }
      responses: { '200': { $ref: '#/components/responses/Plant' } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  responses: { Plant: { description: A plant., content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } } } }
  schemas: { Plant: { type: object, required: [name], properties: { name: { type: string } } } }
`;
/** More than the contract declares. */
const ROSE = { name: 'Rose', secret: true };

/** The application of old: EOV as its documentation has it, and two routes. */
function createRoutes(): express.Router {
  const routes = express.Router();
  const apiSpec = load(CONTRACT) as Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];
  const securityHandlers = { bearerAuth: () => true };
  routes.use(OpenApiValidator.middleware({ apiSpec, validateSecurity: { handlers: securityHandlers } }));
  routes.all('/plants/:id', (_req, res) => {
    res.json({ ...ROSE, by: 'a route' });
  });
  return routes;
}

type Create = (options: ServiceOptions, routes: express.Router) => Promise<Express>;

async function start(create: Create) {
  const lines: string[] = [];
  const handler = (_: never, reply: (...args: unknown[]) => unknown): unknown => reply(200, ROSE);
  const options: ServiceOptions = {
    contract: loadText(CONTRACT),
    validator: OpenApiValidator,
    handlers: { findPlant: handler, putPlant: handler },
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    log: createLog('info', { write: (line) => lines.push(line) }),
  };
  const listening = await listenOnLoopback(createServer(await create(options, createRoutes())));
  const send = (method: 'get' | 'put', path = '/plants/1'): request.Test =>
    request(listening.server)
      [method](path)
      .auth(TOKEN, { type: 'bearer' })
      .send(method === 'put' ? { name: 'Rose' } : undefined);
  const findRules = (): string[] =>
    lines.flatMap((line) => /"operation":"(\w+)".*"rule":"(\w+)"/.exec(line)?.slice(1).join(' ') ?? []);
  return { ...listening, send, findRules };
}

test('step 1: all is answered as before, and what is wrong is told', async () => {
  await using app = await start(createWatched);
  await app.send('get').expect(200, { ...ROSE, by: 'a route' });
  await app.send('put').expect(200, { ...ROSE, by: 'a route' });
  await app.send('get', '/plants/x').expect(400);
  await until(() => app.findRules().includes('findPlant type'));
  expect(app.findRules()).toEqual(
    expect.arrayContaining(['findPlant undeclared', 'putPlant undeclared', 'findPlant type']),
  );
});

test('step 2: one operation is answered by its handler, and one by its route', async () => {
  await using app = await start(createHalf);
  await app.send('get').expect(200, { ...ROSE, by: 'a route' });
  await app.send('put').expect(200, ROSE);
  await app.send('get', '/plants/x').expect(400);
  await request(app.server).get('/plants/1').expect(401);
  await until(() => app.findRules().length >= 2);
  expect(
    app
      .findRules()
      .filter((rule) => rule.endsWith('undeclared'))
      .sort(),
  ).toEqual(['findPlant undeclared', 'putPlant undeclared']);
});

test('step 3: handlers answer with what is declared', async () => {
  await using app = await start(createWhole);
  await app.send('get', '/plants/1?more=1').expect(200, { name: 'Rose' });
  await app.send('put').expect(200, { name: 'Rose' });
});

test('the page shows the tested code', () => {
  const code = readFileSync('packages/server/tests/from-eov.ts', 'utf8');
  expect(PAGE).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});

const THINGS_CONTRACT = `openapi: 3.1.0
info: { title: Half, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /things:
    get: { operationId: listThings, responses: { '200': { description: All., content: { application/json: { schema: { type: array } } } } } }
    post:
      operationId: createThing
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      requestBody:
        required: true
        content:
          application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } } }
          application/x-www-form-urlencoded: { schema: { type: object, required: [id], properties: { id: { type: string, maxLength: 3 } } } }
          text/plain: { schema: { type: string, maxLength: 3 } }
          multipart/form-data: { schema: { type: object, required: [photo], properties: { photo: { format: binary } } } }
      responses: { '200': { description: Created. } }
components: { securitySchemes: { bearerAuth: { type: http, scheme: bearer } } }
`;

interface Half extends ListeningServer {
  readonly outcomes: Outcome[];
  /** The bodies that the route of old got. */
  readonly seen: unknown[];
}

/** One operation in the kit, the other one in a route of old. */
async function startHalf(before: RequestHandler[] = [], route?: RequestHandler, more: object = {}): Promise<Half> {
  const [outcomes, seen]: [Outcome[], unknown[]] = [[], []];
  const options = {
    contract: loadText(THINGS_CONTRACT),
    validator: OpenApiValidator,
    handlers: {
      listThings: (_: never, reply: (...args: unknown[]) => unknown) => reply(200, []),
      createThing: passThrough,
      ...more,
    },
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    report: (outcome: Outcome): void => void outcomes.push(outcome),
  };
  const app = express().use(trackRequests(options), ...before, await serveContract(options));
  const answer: RequestHandler = (req, res) => {
    seen.push(req.file ? String(req.file.buffer) : req.body);
    res.json({ operation: res.locals['operation'] as unknown });
  };
  app.post('/things', ...(route ? [route] : []), multer().single('photo'), answer);
  app.use(refuseErrors(options));
  return { ...(await listenOnLoopback(createServer(app))), outcomes, seen };
}

const post = ({ server }: Half, type: string, body: string | Buffer, query = ''): request.Test =>
  request(server)
    .post(`/things${query}`)
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': type })
    .serialize((sent: unknown) => sent as string)
    .send(body);

const BOUNDARY = 'multipart/form-data; boundary=b';
const FORM = '--b\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\npixels\r\n--b--\r\n';

test('some operations are served by the kit, and some by routes of old', async () => {
  await using app = await startHalf();
  await request(app.server).get('/things').auth(TOKEN, { type: 'bearer' }).expect(200, []);
  await post(app, 'application/json', '{"id":1,"more":true}').expect(200, { operation: 'createThing' });
  await app[Symbol.asyncDispose]();
  expect(app.seen).toEqual([{ id: 1, more: true }]);
  expect(app.outcomes.map(({ operation, status }) => [operation, status])).toEqual([
    ['listThings', 200],
    ['createThing', 200],
  ]);
});

test.each<[string, string, string, unknown]>([
  ['a form', 'application/x-www-form-urlencoded', 'id=1', { id: '1' }],
  ['a text', 'text/plain', 'abc', 'abc'],
  ['a form with a file, which the route itself reads', BOUNDARY, FORM, 'pixels'],
])('the route gets %s', async (_, type, body, expected) => {
  await using app = await startHalf();
  await post(app, type, body, '?size=1').expect(200);
  expect(app.seen).toEqual([expected]);
});

test('a body that a parser in front has read is checked, and left as it is', async () => {
  await using app = await startHalf([express.json()]);
  await post(app, 'application/json', '{"id":1}').expect(200);
  await post(app, 'application/json', '{"id":"1"}').expect(400);
  expect(app.seen).toEqual([{ id: 1 }]);
});

test.each<[string, [type: string, body: string | Buffer, query?: string], Record<string, string>, number]>([
  ['without credentials', ['application/json', '{"id":1}'], { Authorization: '' }, 401],
  ['with a wrong body', ['application/json', '{"id":9223372036854775808}'], {}, 400],
  ['with a wrong form', ['application/x-www-form-urlencoded', 'id=long'], {}, 400],
  ['with a wrong text', ['text/plain', 'long'], {}, 400],
  ['that is not JSON', ['application/json', '{'], {}, 400],
  ['of another media type', ['text/csv', 'a'], {}, 415],
  ['that is compressed', ['application/json', gzipSync('{"id":1}')], { 'Content-Encoding': 'gzip' }, 415],
  ['with a body that is too large', ['application/json', `{"id":1${' '.repeat(1024 ** 2)}}`], {}, 413],
  ['with a file and a wrong parameter', [BOUNDARY, FORM, '?size=x'], {}, 400],
])('a request %s does not reach the route', async (_, sent, headers, status) => {
  await using app = await startHalf();
  await post(app, ...sent)
    .set(headers)
    .expect(status);
  expect(app.seen).toEqual([]);
});

test('a client that waits to be told to go on is told so once its credentials are checked', async () => {
  await using app = await startHalf();
  const head = 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 8\r\n';
  const end = `Authorization: Bearer ${TOKEN}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{"id":1}`;
  app.server.on('checkContinue', (req, res) => app.server.emit('request', req, res));
  expect((await sendRaw(app.port, head + end)).map(({ status }) => status)).toEqual([100, 200]);
});

test('a body that the operation does not declare, and one without a media type', async () => {
  await using app = await startHalf([], undefined, { listThings: passThrough });
  await request(app.server).get('/things').auth(TOKEN, { type: 'bearer' }).send({ a: 1 }).expect(404);
  const reply = await fetch(new URL('/things', app.base), {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: Buffer.from('{"id":1}'),
  });
  expect([reply.status, app.seen]).toEqual([415, []]);
});

test('an error of the route is refused, and reported with its operation', async () => {
  await using app = await startHalf([], () => {
    throw new Error('a bug');
  });
  await post(app, 'application/json', '{"id":1}').expect(500);
  await app[Symbol.asyncDispose]();
  expect(app.outcomes).toMatchObject([{ operation: 'createThing', path: '/things', status: 500 }]);
});

test('passThrough is a handler, and not what a handler calls', () => {
  expect(() => passThrough()).toThrow('list it in the table of handlers');
});
