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
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { createTokenVerifier } from '../../src/auth/tokens';
import { serveContract, type ServiceOptions, type WatchOptions } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { createApp } from '../from-eov';
import { TOKEN } from '@contract-kit/test-support/start-things';
import type { Outcome } from '../../src/http/report';
import { refuseErrors, trackRequests } from '../../src/http/server';
import type { Mode } from '../../src/pipeline/pipeline';
import { keepRawBody } from '../../src/request/read-request';

const PAGE = readFileSync('docs/from-express-openapi-validator.md', 'utf8');
const CONTRACT = `openapi: 3.0.3
info: { title: Plants, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /photos/{id}.jpg:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, pattern: '^[A-Z]$' } }]
    get: { operationId: findPhoto, responses: { '204': { description: A photo. } } }
  /plants: { get: { operationId: listPlants, responses: { '200': { $ref: '#/components/responses/Plant' } } } }
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
  routes.all(['/plants{/:id}', '/photos/:id.jpg'], (_req, res) => {
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
    handlers: { listPlants: handler, findPlant: handler, putPlant: handler },
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

test('each operation is at its own step', async () => {
  await using app = await start(createApp);
  await app.send('get', '/plants').expect(200, { ...ROSE, by: 'a route' });
  await app.send('get').expect(200, { ...ROSE, by: 'a route' });
  await app.send('put').expect(200, ROSE);
  await app.send('get', '/plants?more=1').expect(400);
  await app.send('get', '/plants/x').expect(400);
  await request(app.server).get('/plants').expect(401);
  await request(app.server).get('/plants/1').expect(401);
  const expected = ['findPlant undeclared', 'listPlants listed', 'listPlants undeclared', 'putPlant undeclared'];
  await until(() => expected.every((rule) => app.findRules().includes(rule)));
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
          application/x-www-form-urlencoded: { schema: { type: object, required: [id], properties: { id: { type: string, maxLength: 3 }, size: { type: object } } }, encoding: { size: { style: deepObject } } }
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

const keep = { verify: keepRawBody };
const PARSERS = [express.json(keep), express.urlencoded(keep), express.text(keep)];

/** One operation in the kit, the other one in a route of old. */
async function startHalf(
  before: RequestHandler[] = PARSERS,
  route?: RequestHandler,
  more: Partial<ServiceOptions> = {},
): Promise<Half> {
  const [outcomes, seen]: [Outcome[], unknown[]] = [[], []];
  const options = {
    contract: loadText(THINGS_CONTRACT),
    validator: OpenApiValidator,
    handlers: { listThings: (_: never, reply: (...args: unknown[]) => unknown) => reply(200, []) },
    operationRules: { createThing: { mode: 'requests' as const } },
    log: createLog('silent'),
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    report: (outcome: Outcome): void => void outcomes.push(outcome),
    ...more,
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

test.each<[string, RequestHandler[]]>([
  ['does not keep its bytes', [express.json()]],
  ['runs once the credentials are checked', []],
])('a body whose parser %s is checked, and left as it is', async (_, before) => {
  await using app = await startHalf(before, undefined, { afterCredentials: before.length > 0 ? [] : PARSERS });
  await post(app, 'application/json', '{"id":1}').expect(200);
  await post(app, 'application/json', '{"id":"1"}').expect(400);
  expect(app.seen).toEqual([{ id: 1 }]);
});

test('an int64 that the parser rounded, which the route gets, is reported', async () => {
  const rules: string[] = [];
  await using app = await startHalf(PARSERS, undefined, { observeFinding: ({ rule }) => void rules.push(rule) });
  await post(app, 'application/json', '{"id":9007199254740993}').expect(200);
  await until(() => rules.includes('rounded'));
});

const PLAIN = [express.urlencoded({ extended: true }), express.text()];
test.each([
  ['application/x-www-form-urlencoded', 'id=1', 200],
  ['application/x-www-form-urlencoded', 'id=1&size[a]=%E2%82%AC', 200],
  ['application/x-www-form-urlencoded', 'id=1&id[]=2', 400],
  ['application/x-www-form-urlencoded', 'id=1&id[$ne]=2', 400],
  ['application/x-www-form-urlencoded', 'id[$ne]=1', 400],
  ['application/x-www-form-urlencoded', 'id=long', 400],
  ['text/plain', 'abc', 200],
  ['text/plain', 'long', 400],
])('of %s, the route gets what was checked: %s is %d', async (type, body, status) => {
  for (const parsers of [PLAIN, [express.urlencoded({ ...keep, extended: true }), express.text(keep)]]) {
    await using app = await startHalf(parsers);
    await post(app, type, body).expect(status);
    expect(app.seen).toHaveLength(status === 200 ? 1 : 0);
  }
});

test('a body that no parser has read, and that has no file, is a 500 that tells what to do', async () => {
  await using app = await startHalf([]);
  await post(app, 'application/json', '{"id":"1"}').expect(500);
  await app[Symbol.asyncDispose]();
  expect(app.outcomes).toMatchObject([
    { refusal: { cause: { message: expect.stringContaining('keepRawBody') as unknown } } },
  ]);
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

test('a body that the operation does not declare, and one without a media type', async () => {
  await using app = await startHalf(PARSERS, undefined, { mode: 'requests' });
  await request(app.server).get('/things').auth(TOKEN, { type: 'bearer' }).send({ a: 1 }).expect(404);
  const reply = await fetch(new URL('/things', app.base), {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: Buffer.from('{"id":1}'),
  });
  expect([reply.status, app.seen]).toEqual([415, []]);
});

test('an error of the route is refused, and reported with its operation', async () => {
  await using app = await startHalf(PARSERS, () => {
    throw new Error('a bug');
  });
  await post(app, 'application/json', '{"id":1}').expect(500);
  await app[Symbol.asyncDispose]();
  expect(app.outcomes).toMatchObject([{ operation: 'createThing', path: '/things', status: 500 }]);
});

const verifiers = { bearerAuth: createTokenVerifier([TOKEN]) };
const NO_HANDLERS = { contract: loadText(CONTRACT), validator: OpenApiValidator, handlers: {}, verifiers };
const WATCHED = {
  contract: loadText(CONTRACT),
  mode: 'watch',
  operationRules: { findPlant: { mode: 'requests' } },
} as const;
test.each<[string, ServiceOptions | WatchOptions]>([
  [
    'the operation findPlant has no handler',
    { ...NO_HANDLERS, operationRules: { findPhoto: { mode: 'watch' }, listPlants: { mode: 'requests' } } },
  ],
  ['validator is not express-openapi-validator', { ...WATCHED, verifiers }],
  ['findPlant has an unknown mode: Watch', { ...WATCHED, operationRules: { findPlant: { mode: 'Watch' as Mode } } }],
  ['findPhoto has an unknown mode: null', { ...WATCHED, mode: JSON.parse('null') as 'watch' }],
  ['the security scheme bearerAuth has no verifier', { ...WATCHED, validator: OpenApiValidator }],
])('what a mode needs is missed at the start: %s', async (message, options) => {
  await expect(serveContract(options)).rejects.toThrow(message);
});

test('an operation whose rules have no mode has that of the service', async () => {
  const operationRules = { findPlant: { mode: undefined } };
  await expect(serveContract({ ...WATCHED, operationRules })).resolves.toBeInstanceOf(Function);
});

const handler = (_: never, reply: (...args: unknown[]) => unknown): unknown => reply(200, ROSE);
// Statuses of the other spelling, of a method that the contract does not have, and of a path that it does not have.
test.each<[list: Mode, find: Mode, put: Mode, statuses: number[]]>([
  ['watch', 'watch', 'watch', [200, 200, 200]],
  ['requests', 'watch', 'report', [200, 405, 200]],
  ['report', 'requests', 'report', [404, 405, 200]],
  ['watch', 'report', 'watch', [404, 405, 200]],
  ['watch', 'enforce', 'strip', [404, 405, 200]],
  ['enforce', 'report', 'strip', [404, 405, 404]],
])('by the modes %s, %s and %s, what the contract does not have is %j', async (list, find, put, statuses) => {
  const serving = await serveContract({
    ...NO_HANDLERS,
    handlers: { listPlants: handler, findPlant: handler, putPlant: handler, findPhoto: handler },
    operationRules: {
      findPhoto: { mode: list },
      listPlants: { mode: list },
      findPlant: { mode: find },
      putPlant: { mode: put },
    },
    log: createLog('silent'),
  });
  const app = express().use(serving, (_req, res) => void res.json(ROSE));
  await using listening = await listenOnLoopback(createServer(app));
  const send = (path: string, method = 'GET'): Promise<Response> =>
    fetch(new URL(path, listening.base), { method, headers: { Authorization: `Bearer ${TOKEN}` } });
  const replies = [await send('/Plants/1/'), await send('/plants/1', 'DELETE'), await send('/health')];
  expect(replies.map(({ status }) => status)).toEqual(statuses);
});

test('the start names the operations that anyone can call, once their handlers answer', async () => {
  const lines: string[] = [];
  await serveContract({
    ...NO_HANDLERS,
    contract: loadText(CONTRACT.replace(/^security: .*$/m, 'security: []')),
    mode: 'watch',
    handlers: { listPlants: handler, findPlant: handler },
    operationRules: { listPlants: { mode: 'report' }, findPlant: { mode: 'enforce' }, putPlant: { mode: 'requests' } },
    log: createLog('info', { write: (line) => lines.push(line) }),
  });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ public: ['listPlants', 'findPlant'] }]);
});

const SIBLINGS = `openapi: 3.1.0
info: { title: Siblings, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /users/me: { get: { operationId: getMe, responses: { '204': { description: Me. } } } }
  /users/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getUser, responses: { '204': { description: One. } } }
    delete: { operationId: removeUser, responses: { '204': { description: None. } } }
  /caf\u00e9s/{id}.{type}/:
    parameters: [{ name: id, in: path, required: true, schema: {} }, { name: type, in: path, required: true, schema: {} }]
    get: { operationId: getCafe, responses: { '204': { description: One. } } }
components: { securitySchemes: { bearerAuth: { type: http, scheme: bearer } } }
`;

test('no spelling of a request leads to a route past the checks of an operation that is not watched', async () => {
  const watched = { mode: 'watch' } as const;
  const serving = await serveContract({
    contract: loadText(SIBLINGS),
    validator: OpenApiValidator,
    handlers: {},
    verifiers,
    mode: 'requests',
    operationRules: { getUser: watched },
    log: createLog('silent'),
  });
  const app = express().use(serving, (_req, res) => void res.sendStatus(204));
  await using listening = await listenOnLoopback(createServer(app));
  const statuses = {
    204: [
      'GET /users/7',
      'GET /Users/7/',
      'HEAD /users/7',
      'GET /users/me%2F',
      'GET /x/../users/me',
      'GET /users/me/a',
    ],
    401: ['GET /users/me', 'GET /users/%6De?', 'HEAD /users/me', 'DELETE /users/ME', 'GET /caf%c3%a9s/1.a/'],
    404: [
      ...['GET /users/ME', 'HEAD /Users/me', 'GET /users/%4De', 'GET /users/me/', 'GET /users/me//', 'GET /users/me#'],
      ...['GET http://a/users/me', 'GET x://a/users/me#', 'DELETE /Users/7', 'DELETE http://a/users/me'],
      ...['GET /caf%C3%A9s/1.a', 'GET /CAF%C3%A9S/1.a.b/#'],
    ],
    405: ['DELETE /users/me', 'PATCH /users/7', 'OPTIONS /users/me'],
  };
  for (const [status, lines] of Object.entries(statuses))
    for (const line of lines) {
      const [reply] = await sendRaw(listening.port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect([line, reply?.status]).toEqual([line, Number(status)]);
    }
});
