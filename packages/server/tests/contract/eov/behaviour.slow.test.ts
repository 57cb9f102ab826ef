import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { load } from 'js-yaml';
import request from 'supertest';
import { patch } from '../../../../../tests/support/load-text';
import { sendRaw } from '../../../../../tests/support/send-raw';
import type { ListeningServer } from '../../../../../tests/support/listen-on-loopback';
import { startEov, type EovOptions } from '../../start-eov';
import { postThing, THINGS, TOKEN } from '../../start-things';

// What express-openapi-validator lets through when it is wired as its documentation says. packages/server/src/validate/eov/README.md
// lists the same, and what closes it: a version that behaves otherwise fails here.

type Handlers = NonNullable<Exclude<EovOptions['validateSecurity'], boolean | undefined>['handlers']>;

const CONTRACT = load(THINGS) as Record<string, unknown>;
const RIGHT = { id: 1, name: 'Rose' };
const RIGHT_BODY = JSON.stringify(RIGHT);
const RIGHT_TOKEN = `Authorization: Bearer ${TOKEN}`;
const handlers: Handlers = { bearerAuth: ({ headers }) => headers.authorization?.endsWith(` ${TOKEN}`) ?? false };

let received: unknown;
const accept: RequestHandler = ({ body }, res) => {
  received = body;
  res.json({ name: 'Rose' });
};

type Handler = Parameters<typeof startEov>[1];

function start(options: Partial<EovOptions> = {}, handler: Handler = accept): Promise<ListeningServer> {
  const all = { apiSpec: CONTRACT as never, validateResponses: true, validateSecurity: { handlers }, ...options };
  return startEov(all, handler);
}

/** The status of a request with such a target and more headers. */
async function sendLines({ port }: ListeningServer, target: string, lines: readonly string[], body = RIGHT_BODY) {
  const head = [`POST ${target} HTTP/1.1`, 'Host: a', 'Connection: close', 'Content-Type: application/json', ...lines];
  const length = body === '' ? [] : [`Content-Length: ${String(body.length)}`];
  const [reply] = await sendRaw(port, [...head, ...length, '', body].join('\r\n'));
  return reply?.status;
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('the version is pinned: not a caret, and the same in the lock file', () => {
  const name = 'express-openapi-validator';
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
  type Lock = Readonly<{ packages: Record<string, { version: string }> }>;
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  expect(dependencies[name]).toBe('5.6.2');
  expect(lock.packages[`node_modules/${name}`]?.version).toBe(dependencies[name]);
});

describe('what it lets through', () => {
  test('an int64 is not checked', async () => {
    await using eov = await start();
    await postThing(eov.server, '{"id":9223372036854775808,"name":"Rose"}').expect(200);
    expect(received).toEqual({ id: 2 ** 63, name: 'Rose' });
  });

  test('a required body may be missing where its schema is an allOf', async () => {
    await using eov = await start();
    await expect(sendLines(eov, '/things', [RIGHT_TOKEN], '')).resolves.toBe(200);
    expect(received).toBeUndefined();
    const schema = { type: 'object', required: ['name'] };
    const pointer = '/paths/~1things/post/requestBody/content/application~1json/schema';
    await using plain = await start({ apiSpec: patch(CONTRACT, { [pointer]: schema }) as never });
    await expect(sendLines(plain, '/things', [RIGHT_TOKEN], '')).resolves.toBe(400);
  });

  test('bytes that are not UTF-8 become U+FFFD', async () => {
    await using eov = await start();
    await postThing(eov.server, Buffer.from('{"id":1,"name":"\xff"}', 'latin1')).expect(200);
    expect(received).toEqual({ id: 1, name: '\ufffd' });
  });

  test('two Host or Authorization headers are accepted', async () => {
    await using eov = await start();
    for (const second of ['Host: b', 'Authorization: Bearer b']) {
      await expect(sendLines(eov, '/things', [RIGHT_TOKEN, second])).resolves.toBe(200);
    }
  });

  test('without security handlers, any token is accepted', async () => {
    await using eov = await start({ validateSecurity: true });
    await request(eov.server).post('/things').auth('any', { type: 'bearer' }).send(RIGHT).expect(200);
    await request(eov.server).post('/things').send(RIGHT).expect(401);
  });

  test('a scheme that only contains `bearer` is accepted as `bearer`', async () => {
    await using eov = await start();
    await postThing(eov.server, RIGHT_BODY, { Authorization: `NotBearer ${TOKEN}` }).expect(200);
    await postThing(eov.server, RIGHT_BODY, { Authorization: `Basic ${TOKEN}` }).expect(401);
  });

  test('an empty server variable turns EOV off', async () => {
    const servers = [{ url: '{base}', variables: { base: { default: '' } } }];
    await using eov = await start({ apiSpec: { ...CONTRACT, servers } as never });
    await request(eov.server).post('/things?x=1').send({}).expect(200);
  });

  test('`ignoreUndocumented` turns EOV off for a target in absolute form', async () => {
    await using eov = await start({ ignoreUndocumented: true });
    await request(eov.server).post('/things').send(RIGHT).expect(401);
    await expect(sendLines(eov, 'http://a/things', [])).resolves.toBe(200);
  });

  test('a reply is checked only when `res.json` sends it, and never with a status of 500 or above', async () => {
    const wrong = { wrong: 1 };
    await using json = await start({}, (_req, res) => void res.json(wrong));
    await using text = await start({}, (_req, res) => void res.type('json').send(JSON.stringify(wrong)));
    await using failure = await start({}, (_req, res) => void res.status(503).json(wrong));
    await postThing(json.server, RIGHT_BODY).expect(500, /must have required property 'name'/);
    await postThing(text.server, RIGHT_BODY).expect(200, wrong);
    await postThing(failure.server, RIGHT_BODY).expect(503, wrong);
  });
});

describe('what it answers', () => {
  test('a verifier that throws causes a 401 with its message', async () => {
    const failing: Handlers = { bearerAuth: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')) };
    await using eov = await start({ validateSecurity: { handlers: failing } });
    await postThing(eov.server, RIGHT_BODY).expect(401, /ECONNREFUSED 10\.0\.0\.7:5432/);
  });

  test('the body is parsed before the credentials are checked', async () => {
    await using eov = await start();
    await postThing(eov.server, '{', { Authorization: '' }).expect(400, /JSON/);
    await postThing(eov.server, '{}', { Authorization: '' }).expect(401);
  });

  test('a target in absolute form gets 404', async () => {
    await using eov = await start();
    await expect(sendLines(eov, 'http://a/things', [RIGHT_TOKEN])).resolves.toBe(404);
    await expect(sendLines(eov, '/things', [RIGHT_TOKEN])).resolves.toBe(200);
  });

  test('a 405 has no `Allow`: it stays on the error object', async () => {
    let error: unknown;
    const keepError: ErrorRequestHandler = (cause: unknown, _req, _res, next) => {
      error = cause;
      next(cause);
    };
    await using eov = await start({}, [accept, keepError]);
    const reply = await request(eov.server).get('/things').expect(405);
    expect(reply.headers).not.toHaveProperty('allow');
    expect(error).toMatchObject({ headers: { Allow: 'POST' } });
  });

  test('a contract that cannot be read causes a 500 for each request, not a failure to start', async () => {
    const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const apiSpec = patch(CONTRACT, { '/paths/~1things/post/responses': undefined }) as never;
    await using eov = await start({ apiSpec });
    await postThing(eov.server, RIGHT_BODY).expect(500, /args\.apiDoc was invalid/);
    await postThing(eov.server, RIGHT_BODY).expect(500);
    expect(print.mock.lastCall?.join()).toContain("must have required property 'responses'");
  });
});

describe('what it costs', () => {
  test('a validator is compiled for each spelling of a Content-Type and kept forever', async () => {
    const all = RequestValidator.prototype as unknown as { buildMiddleware: () => unknown };
    const build = jest.spyOn(all, 'buildMiddleware');
    await using eov = await start();
    const spellings = ['a', 'b', 'c', 'd', 'e'].map((name) => `application/json; ${name}=1`);
    for (const type of [...spellings, ...spellings]) {
      await postThing(eov.server, RIGHT_BODY, { 'Content-Type': type }).expect(200);
    }
    expect(build).toHaveBeenCalledTimes(5);
    const [validator] = build.mock.contexts as unknown as { middlewareCache: object }[];
    expect(Object.keys(validator?.middlewareCache ?? {})).toHaveLength(5);
  });

  test('the pattern of each path is compiled again for each request', async () => {
    const names = Array.from({ length: 10 }, (_unused, index) => `/things/${String(index)}`);
    const { '/things': item } = CONTRACT['paths'] as Record<string, unknown>;
    const toItem = (id: string): unknown => patch(item, { '/post/operationId': id.replaceAll('/', '_') });
    const paths = Object.fromEntries(names.map((name) => [name, toItem(name)]));
    await using eov = await start({ apiSpec: { ...CONTRACT, paths } as never });
    const home = dirname(require.resolve('express-openapi-validator'));
    const file = require.resolve('path-to-regexp', { paths: [home] });
    const patterns: { pathToRegexp: () => unknown } = jest.requireActual(file);
    const compile = jest.spyOn(patterns, 'pathToRegexp');
    for (let count = 1; count <= 3; count += 1) {
      await request(eov.server).post('/things/9').auth(TOKEN, { type: 'bearer' }).send(RIGHT).expect(200);
      expect(compile).toHaveBeenCalledTimes(count * 10);
    }
  });
});

test('the README has an item for each of these, with the file that closes it', () => {
  const folder = 'packages/server/src/validate/eov';
  const items = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^- (.*?):\s+`([\w./-]+\.ts)`$/gm)];
  const titles = [...readFileSync(__filename, 'utf8').matchAll(/^ {2}test\('(.*)', async/gm)];
  expect(items.map(([, name]) => name).sort()).toEqual(titles.map(([, title]) => title).sort());
  expect(items.filter(([, , file]) => !existsSync(join(folder, String(file))))).toEqual([]);
});
