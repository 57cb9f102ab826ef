import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import request from 'supertest';
import type { CallerMiddleware } from '../../src/pipeline/pipeline';
import { createCatalogueRenderer } from '../../src/errors/create-renderer';
import type { Outcome } from '../../src/http/report';
import { FIXTURE_ERRORS } from '../../../../tests/support/fixture-errors';
import { holdClock } from '../../../../tests/support/hold-clock';
import { loadText } from '../../../../tests/support/load-text';
import { createApp } from '../own-middleware';
import { sendRaw } from '../../../../tests/support/send-raw';
import { postThing, startThings, THINGS, TOKEN, type ThingsApp } from '../../../../tests/support/start-things';
import { until } from '../../../../tests/support/until';

const ORIGIN = 'https://app.example';
const ROSE = '{"id":1,"name":"Rose"}';
const JSON_TYPE = 'application/json';

// A team that limits rates says so in its contract.
const render = createCatalogueRenderer({
  ...FIXTURE_ERRORS,
  TOO_MANY_REQUESTS: { number: 42900, status: 429, meaning: 'Too many requests.' },
});

function fail(status: number): Error {
  return Object.assign(new Error('secret'), { status });
}

const refuseMany: RequestHandler = (_req, _res, next) => {
  next(fail(429));
};

/** The outcomes of an application, when it is over with all its requests. */
async function endOf(app: ThingsApp): Promise<readonly Outcome[]> {
  await app[Symbol.asyncDispose]();
  return app.outcomes;
}

describe('CORS_ORIGINS', () => {
  const preflight = (app: ThingsApp, origin = ORIGIN, path = '/things'): request.Test =>
    request(app.server).options(path).set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });

  test('unless it is set, OPTIONS is a method like any other', async () => {
    await using app = await startThings();
    const { headers } = await preflight(app).expect(405).expect('Allow', 'POST');
    expect(Object.keys(headers).filter((name) => /^access-control|^vary/.test(name))).toEqual([]);
  });

  test('a preflight is answered, without credentials and under overload, with an id and a line in the log', async () => {
    await using app = await startThings({ corsOrigins: ['http://localhost:5173', ORIGIN], isOverloaded: () => true });
    const { headers } = await preflight(app).set('X-Request-Id', 'preflight-1').expect(204, '');
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization,Content-Type,X-Request-Id,traceparent',
      'access-control-max-age': '600',
      vary: 'Origin',
      'x-request-id': 'preflight-1',
    });
    expect(await endOf(app)).toEqual([
      expect.objectContaining({ id: 'preflight-1', method: 'OPTIONS', status: 204, isAborted: false }),
    ]);
  });

  test.each(['http://app.example', 'https://app.example.org', 'null', 'x'.repeat(2_000)])(
    'another origin is told nothing: %s',
    async (origin) => {
      await using app = await startThings({ corsOrigins: [ORIGIN] });
      const replies = [await preflight(app, origin).expect(204), await postThing(app.server, ROSE, { Origin: origin })];
      for (const { headers } of replies) {
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers).toMatchObject({ vary: 'Origin' });
        expect(JSON.stringify(headers)).not.toContain(origin);
      }
    },
  );

  test('an origin with a line break is no HTTP', async () => {
    await using app = await startThings({ corsOrigins: '*' });
    const [reply] = await sendRaw(app.port, `GET /things HTTP/1.1\r\nHost: a\r\nOrigin: a\nb\r\n\r\n`);
    expect(reply).toMatchObject({ status: 400 });
  });

  test('all origins may call, and none with cookies', async () => {
    await using app = await startThings({ corsOrigins: '*' });
    const replies = [
      await preflight(app).set('Cookie', 'a=b').expect(204),
      await postThing(app.server, ROSE, { Origin: ORIGIN, Cookie: 'a=b' }).expect(200),
    ];
    for (const { headers } of replies) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('a page can read each reply, with the headers that the kit writes', async () => {
    await using app = await startThings({ corsOrigins: [ORIGIN] });
    const replies = [
      await postThing(app.server, ROSE, { Origin: ORIGIN }).expect(200, '{"name":"Rose"}'),
      await request(app.server).post('/things').set('Origin', ORIGIN).expect(401),
      await request(app.server).get('/nothing').set('Origin', ORIGIN).expect(404),
      await request(app.server).get('/%zz').set('Origin', ORIGIN).expect(404),
    ];
    for (const { headers } of replies) {
      expect(headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': 'X-Request-Id,WWW-Authenticate,Retry-After',
        'content-type': JSON_TYPE,
        vary: 'Origin',
      });
    }
    expect(replies[1]?.headers['www-authenticate']).toBe('Bearer realm="Things"');
    expect(await endOf(app)).toHaveLength(replies.length);
  });

  test('documentation varies by what it varies by anyway, too', async () => {
    await using app = await startThings({ corsOrigins: [ORIGIN] });
    await request(app.server).get('/openapi.yaml').set('Origin', ORIGIN).expect('Vary', 'Origin, Accept-Encoding');
  });

  test('a contract without credentials can be called, too', async () => {
    const contract = loadText(
      THINGS.replace('security: [{ bearerAuth: [] }]', 'security: []').replace(/  securitySchemes:\n.*\n/, ''),
    );
    await using app = await startThings({ contract, corsOrigins: '*' });
    await preflight(app).expect(204);
    await request(app.server).post('/things').send({ id: 1, name: 'Rose' }).expect(200);
  });

  test('headers are those of the contract, and an operation with the method OPTIONS is one', async () => {
    const contract = loadText(
      THINGS.replace('security: [{ bearerAuth: [] }]', 'security: [{ key: [] }]')
        .replace('bearerAuth: { type: http, scheme: bearer }', 'key: { type: apiKey, in: header, name: X-Key }')
        .replace(
          '    post:\n',
          "    parameters: [{ name: If-Match, in: header, schema: { type: string } }]\n    options: { operationId: listOptions, security: [], responses: { '204': { description: Here. }, '400': &f { $ref: '#/components/responses/Failure' }, '500': *f, '503': *f } }\n    post:\n",
        )
        .replace(
          'description: Kept.\n',
          'description: Kept.\n          headers: { ETag: { schema: { type: string } } }\n',
        ),
    );
    const handlers = {
      createThing: () => undefined,
      listOptions: (_: never, reply: (status: number) => never) => reply(204),
    };
    await using app = await startThings({ contract, handlers, verifiers: { key: () => undefined }, corsOrigins: '*' });
    const { headers } = await preflight(app).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-methods': 'OPTIONS,POST',
      'access-control-allow-headers': 'Authorization,Content-Type,X-Request-Id,traceparent,X-Key,If-Match',
      'access-control-expose-headers': 'X-Request-Id,WWW-Authenticate,Retry-After,ETag',
    });
    await request(app.server).options('/things').set('Origin', ORIGIN).expect(204);
    await request(app.server).options('/things').set('Access-Control-Request-Method', 'POST').expect(204);
    expect((await endOf(app)).map(({ operation }) => operation)).toEqual([undefined, 'listOptions', 'listOptions']);
  });
});

describe('middleware before credentials', () => {
  test('helmet: its headers are on each reply, beside those of the reply itself', async () => {
    await using app = await startThings({ before: [helmet()] });
    const replies = [
      await postThing(app.server, ROSE, { 'X-Request-Id': 'with-helmet' }).expect(200, '{"name":"Rose"}'),
      await postThing(app.server, '{}', { 'X-Request-Id': 'with-helmet' }).expect(400),
      await request(app.server).get('/nothing').set('X-Request-Id', 'with-helmet').expect(404),
    ];
    for (const { headers, text } of replies) {
      expect(headers).toMatchObject({
        'content-type': JSON_TYPE,
        'content-length': String(text.length),
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-request-id': 'with-helmet',
      });
    }
    const page = await request(app.server).get('/docs').expect(200);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN' });
    expect(await endOf(app)).toHaveLength(4);
  });

  test('express-rate-limit: its refusal has the body and the log line of any other, and its headers', async () => {
    using clock = holdClock('Date');
    const limit = rateLimit({
      limit: 1,
      validate: { xForwardedForHeader: false },
      handler: (_req, _res, next) => {
        next(fail(429));
      },
    });
    await using app = await startThings({ before: [limit], corsOrigins: '*', render });
    await postThing(app.server, ROSE).expect(200);
    clock.pass(1_000);
    // Express believes no proxy unless it is told to: a client cannot pass for another one.
    const { headers, text } = await postThing(app.server, ROSE, {
      'X-Forwarded-For': '10.0.0.1',
    }).expect(429);
    expect(JSON.parse(text)).toEqual({ error: 42900, message: 'Too many requests.' });
    expect(headers).toMatchObject({
      'content-type': JSON_TYPE,
      'retry-after': '59',
      'x-ratelimit-limit': '1',
      'access-control-allow-origin': '*',
    });
    expect(app.rows()).toHaveLength(1);
    expect(await endOf(app)).toMatchObject([
      { operation: 'createThing', status: 200 },
      { id: headers['x-request-id'], method: 'POST', status: 429, refusal: { kind: 'TOO_MANY_REQUESTS' } },
    ]);
  });

  test('express-rate-limit: its own reply has an id and a line in the log', async () => {
    await using app = await startThings({ before: [rateLimit({ limit: 0, validate: false })] });
    const { headers } = await postThing(app.server, ROSE, { 'X-Request-Id': 'one-too-many' }).expect(429);
    expect(headers['x-request-id']).toBe('one-too-many');
    const outcomes = await endOf(app);
    expect(outcomes).toMatchObject([{ id: 'one-too-many', status: 429, isAborted: false }]);
    expect(outcomes[0]?.refusal).toBeUndefined();
  });

  test('without a row of its own in the catalogue it is a request that fails', async () => {
    await using app = await startThings({ before: [refuseMany] });
    const { text } = await postThing(app.server, ROSE).expect(400);
    expect(JSON.parse(text)).toMatchObject({ error: 40000 });
  });

  test('it says nothing of how to read the body, and a list that it began is continued', async () => {
    const before: RequestHandler = (_req, res, next) => {
      res.status(418).set({
        ...{ 'Content-Type': 'text/html', 'Content-Length': '5', 'Content-Encoding': 'gzip', Trailer: 'X' },
        ...{ 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'forged-by-it', 'X-Own': 'kept', Vary: 'X-Tenant' },
      });
      res.cookie('a', 'b').cookie('c', 'd');
      next();
    };
    await using app = await startThings({ before: [before] });
    const send = (more: string): Promise<unknown> =>
      sendRaw(
        app.port,
        `POST /things HTTP/1.1\r\nHost: a\r\nX-Request-Id: its-own-id\r\nAuthorization: Bearer ${TOKEN}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${String(ROSE.length)}\r\nConnection: close\r\n${more}\r\n${ROSE}`,
      );
    const replies = (await send('')) as { status: number; headers: object; body: string }[];
    expect(replies).toHaveLength(1);
    expect(replies[0]).toMatchObject({ status: 200, body: '{"name":"Rose"}' });
    expect(replies[0]?.headers).toEqual({
      'x-own': 'kept',
      'set-cookie': 'c=d; Path=/',
      vary: 'X-Tenant',
      'content-type': JSON_TYPE,
      'content-length': '15',
      'x-request-id': 'its-own-id',
      connection: 'close',
      date: expect.any(String) as string,
    });
    await request(app.server).get('/docs').expect('Vary', 'X-Tenant, Accept-Encoding').expect('X-Own', 'kept');
  });

  test('requests of one connection that wait in it together are all served, in their order', async () => {
    const waiting: (() => void)[] = [];
    const before: RequestHandler = (_req, _res, next) => {
      waiting.push(next);
      if (waiting.length === 3) for (const go of waiting) go();
    };
    await using app = await startThings({ before: [before] });
    const get = 'GET /a HTTP/1.1\r\nHost: a\r\n';
    const replies = await sendRaw(
      app.port,
      `${get}\r\n${get.replace('/a', '/things')}\r\n${get}Connection: close\r\n\r\n`,
    );
    expect(replies.map(({ status }) => status)).toEqual([404, 405, 404]);
    expect(await endOf(app)).toHaveLength(3);
  });

  test('one that answers and goes on all the same: nothing is done', async () => {
    const before: RequestHandler = (_req, res, next) => {
      res.send('answered');
      next();
    };
    await using app = await startThings({ before: [before] });
    await postThing(app.server, ROSE).expect(200, 'answered');
    expect(app.rows()).toEqual([]);
    expect(await endOf(app)).toMatchObject([{ status: 200, operation: undefined }]);
  });

  test('one that never answers: the request has its line when the client is gone', async () => {
    const before: RequestHandler = () => undefined;
    await using app = await startThings({ before: [before] });
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    const came = once(app.server, 'request');
    socket.write('GET /things HTTP/1.1\r\nHost: a\r\n\r\n');
    await came;
    // A connection that is only ended could still be read from.
    socket.resetAndDestroy();
    await until(() => app.outcomes.length > 0);
    expect(await endOf(app)).toMatchObject([{ method: 'GET', isAborted: true }]);
  });

  test.each<[string, RequestHandler, number]>([
    [
      'throws',
      () => {
        throw fail(500);
      },
      500,
    ],
    ['rejects', () => Promise.reject(fail(500)), 500],
    [
      'passes on what is no error',
      (_req, _res, next) => void setImmediate(next as (error: string) => void, 'secret'),
      500,
    ],
    ['refuses', () => Promise.reject(fail(403)), 400],
  ])('one that %s: a refusal that says nothing', async (_, before, status) => {
    await using app = await startThings({ before: [before] });
    const { text, headers } = await postThing(app.server, ROSE).expect(status);
    expect(text).not.toContain('secret');
    expect(headers['content-type']).toBe(JSON_TYPE);
    expect(await endOf(app)).toMatchObject([
      { id: headers['x-request-id'], status, refusal: expect.any(Error) as Error },
    ]);
  });

  test('one that fails after it let the request through: the reply stands, and the one line has the failure', async () => {
    const before: RequestHandler = (_req, _res, next) => {
      next();
      return Promise.reject(fail(500));
    };
    await using app = await startThings({ before: [before] });
    await postThing(app.server, ROSE).expect(200, '{"name":"Rose"}');
    expect(await endOf(app)).toMatchObject([{ status: 200, refusal: { kind: 'INTERNAL_ERROR', cause: fail(500) } }]);
  });

  test('one that fails while the handler is at work: the handler has the last word', async () => {
    const before: RequestHandler[] = [
      (_req, _res, next) => {
        next();
        return Promise.reject(fail(500));
      },
      (_req, _res, next) => {
        next();
      },
    ];
    const createThing = async (_: never, reply: (status: number, body: object) => unknown): Promise<unknown> => {
      // The middleware has failed by the next turn of the event loop.
      await nextTurn();
      return reply(200, { name: 'Rose' });
    };
    await using app = await startThings({ before, handlers: { createThing } });
    await postThing(app.server, ROSE).expect(200, '{"name":"Rose"}');
    expect(await endOf(app)).toMatchObject([{ status: 200, refusal: { kind: 'INTERNAL_ERROR', cause: fail(500) } }]);
  });

  test('one that fails after it answered: the reply stands, and there is one line', async () => {
    const before: RequestHandler = (_req, res) => {
      res.send('answered');
      return Promise.reject(fail(500));
    };
    await using app = await startThings({ before: [before] });
    await postThing(app.server, ROSE).expect(200, 'answered');
    expect(await endOf(app)).toMatchObject([{ status: 200 }]);
  });

  test('one that fails in the middle of its reply: the connection ends', async () => {
    const before: RequestHandler = (_req, res) => {
      res.write('half');
      return Promise.reject(fail(500));
    };
    await using app = await startThings({ before: [before] });
    await expect(postThing(app.server, ROSE)).rejects.toThrow('aborted');
    expect(await endOf(app)).toMatchObject([{ status: 200, isAborted: true, refusal: { kind: 'INTERNAL_ERROR' } }]);
  });
});

describe('middleware after credentials', () => {
  const verify = (token: string): { subject: string } | undefined =>
    token.startsWith('token-of-') ? { subject: token.slice('token-of-'.length) } : undefined;
  const as = (subject: string): Record<string, string> => ({ Authorization: `Bearer token-of-${subject}` });
  const start = (...afterCredentials: CallerMiddleware[]): ReturnType<typeof startThings> =>
    startThings({ afterCredentials, verify, render });

  test('express-rate-limit: each subject has its own limit', async () => {
    using clock = holdClock('Date');
    await using app = await startThings({ createApp, verify, render });
    for (let call = 0; call < 100; call++) await postThing(app.server, ROSE, as('ada')).expect(200);
    clock.pass(1_000);
    const { headers, text } = await postThing(app.server, ROSE, as('ada')).expect(429);
    expect(JSON.parse(text)).toEqual({ error: 42900, message: 'Too many requests.' });
    expect(headers).toMatchObject({ 'content-type': JSON_TYPE, 'retry-after': '59' });
    await postThing(app.server, ROSE, as('bob')).expect(200);
    // Who is nobody costs nobody anything.
    await request(app.server).post('/things').expect(401);
    await postThing(app.server, ROSE, { Authorization: 'Bearer x' }).expect(401);
    expect((await endOf(app)).slice(99)).toMatchObject([
      { status: 200 },
      { status: 429, operation: 'createThing', refusal: { kind: 'TOO_MANY_REQUESTS' } },
      { status: 200 },
      { status: 401 },
      { status: 401 },
    ]);
  });

  test('it knows who calls what, runs in its order, and its headers arrive', async () => {
    const seen: unknown[] = [];
    await using app = await start(
      (_req, res, next) => {
        seen.push({ ...res.locals });
        res.set('X-Own', 'kept');
        next();
      },
      (_req, _res, next) => {
        seen.push('second');
        setImmediate(() => {
          next();
        });
      },
    );
    await postThing(app.server, ROSE, as('ada')).expect(200, '{"name":"Rose"}').expect('X-Own', 'kept');
    expect(seen).toEqual([{ operation: 'createThing', identity: { bearerAuth: { subject: 'ada' } } }, 'second']);
    await request(app.server).get('/nothing').expect(404);
    expect(seen).toHaveLength(2);
  });

  test('nothing of the body is read or asked for before', async () => {
    await using app = await start(refuseMany);
    const head =
      'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-of-ada\r\nContent-Type: application/json\r\n';
    const replies = await sendRaw(app.port, `${head}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n`);
    expect(replies.map(({ status }) => status)).toEqual([429]);
  });

  test.each<[string, CallerMiddleware, number, object]>([
    ['answers', (_req, res) => void res.status(402).send('pay'), 402, { refusal: undefined }],
    [
      'answers and goes on all the same',
      (_req, res, next) => {
        res.status(402).send('pay');
        next();
      },
      402,
      { refusal: undefined },
    ],
    ['rejects', () => Promise.reject(fail(500)), 500, { refusal: { kind: 'INTERNAL_ERROR', cause: fail(500) } }],
    [
      'passes on what is no error',
      (_req, _res, next) => void setImmediate(next as (error: string) => void, 'x'),
      500,
      { refusal: { kind: 'INTERNAL_ERROR' } },
    ],
  ])('one that %s: nothing is done, and there is one line', async (_, middleware, status, outcome) => {
    await using app = await start(middleware);
    const { headers } = await postThing(app.server, ROSE, { ...as('ada'), 'X-Request-Id': 'the-only-line' }).expect(
      status,
    );
    expect(headers['x-request-id']).toBe('the-only-line');
    expect(app.rows()).toEqual([]);
    expect(await endOf(app)).toMatchObject([{ id: 'the-only-line', operation: 'createThing', status, ...outcome }]);
  });

  test('one that never answers: the request has its line when the client is gone', async () => {
    let come = (): void => undefined;
    const came = new Promise<void>((resolve) => (come = resolve));
    await using app = await start(() => {
      come();
    });
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-of-ada\r\n\r\n');
    await came;
    // A connection that is only ended could still be read from.
    socket.resetAndDestroy();
    await until(() => app.outcomes.length > 0);
    expect(await endOf(app)).toMatchObject([{ operation: 'createThing', isAborted: true }]);
  });

  test('a client that is gone before it is known who it is: nothing runs', async () => {
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const seen: unknown[] = [];
    await using app = await startThings({
      verify: async (token) => {
        seen.push('verify');
        await held;
        return verify(token);
      },
      afterCredentials: [() => seen.push('middleware')],
    });
    const closed = new Promise((resolve) => {
      app.server.once('request', (_req, res: ServerResponse) => res.once('close', resolve));
    });
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-of-ada\r\n\r\n');
    await until(() => seen.length > 0);
    socket.resetAndDestroy();
    await closed;
    go();
    await until(() => app.outcomes.length > 0);
    expect(seen).toEqual(['verify']);
    expect(await endOf(app)).toMatchObject([{ operation: 'createThing', isAborted: true }]);
  });
});
