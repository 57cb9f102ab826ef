import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import request from 'supertest';
import type { Caller, CallerMiddleware } from '../../src/pipeline/middleware';
import type { Outcome } from '../../src/http/report';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { contractWith } from '@contract-kit/test-support/serve-operation';
import { postThing, startThings, THINGS, TOKEN, type ThingsApp } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';

const ORIGIN = 'https://app.example';
const ROSE = '{"id":1,"name":"Rose"}';
const JSON_TYPE = 'application/json';

function fail(status: number): Error {
  return Object.assign(new Error('secret'), { status });
}

/** Middleware that refuses as http-errors does. */
const refuseMany: RequestHandler = (_req, _res, next) => {
  next(Object.assign(new Error('Slower, please.'), { status: 429, expose: true }));
};
const WITH_429 = loadText(THINGS.replace(/ +'400': (.*)\n/, "$&        '429': $1\n"));
const throwFailure = (): never => {
  throw fail(500);
};
const goOn: RequestHandler = (_req, _res, next) => {
  next();
};
const passOnText: RequestHandler = (_req, _res, next) => {
  setImmediate(next as (error: string) => void, 'secret');
};
const throwUndefined: RequestHandler = () => {
  (function* (): Generator<undefined> {
    yield undefined;
  })().throw(undefined);
};
/** Middleware that does something, and fails then. */
const failAfter =
  (act: RequestHandler): RequestHandler =>
  (req, res, next) => {
    void act(req, res, next);
    return Promise.reject(fail(500));
  };
const answer =
  (status: number, text: string): RequestHandler =>
  (_req, res) =>
    void res.status(status).send(text);
const answerAndGoOn =
  (status: number, text: string): RequestHandler =>
  (_req, res, next) => {
    res.status(status).send(text);
    next();
  };
const FAILURE = { refusal: { kind: 'INTERNAL_ERROR', cause: fail(500) } };

/** Sends a request, resets its connection when the middleware has it, and gives the outcomes. */
async function leave(app: ThingsApp, came: Promise<unknown>, more = ''): Promise<readonly Outcome[]> {
  const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
  socket.write(`POST /things HTTP/1.1\r\nHost: a\r\n${more}\r\n`);
  await came;
  // A connection that is only ended could still be read from.
  socket.resetAndDestroy();
  await until(() => app.outcomes.length > 0);
  return endOf(app);
}

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
      ...{ 'access-control-allow-origin': ORIGIN, 'access-control-allow-methods': 'POST' },
      'access-control-allow-headers': 'Authorization,Content-Type,X-Request-Id,traceparent',
      ...{ 'access-control-max-age': '600', vary: 'Origin', 'x-request-id': 'preflight-1' },
    });
    const outcome = { id: 'preflight-1', method: 'OPTIONS', status: 204, isAborted: false };
    expect(await endOf(app)).toMatchObject([outcome]);
  });

  const OTHER_ORIGINS = ['http://app.example', 'https://app.example.org', 'null', 'x'.repeat(2_000)];

  test.each(OTHER_ORIGINS)('another origin is told nothing: %s', async (origin) => {
    await using app = await startThings({ corsOrigins: [ORIGIN] });
    const replies = [await preflight(app, origin).expect(204), await postThing(app.server, ROSE, { Origin: origin })];
    for (const { headers } of replies) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).toMatchObject({ vary: 'Origin' });
      expect(JSON.stringify(headers)).not.toContain(origin);
    }
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
        'content-type': JSON_TYPE,
        vary: 'Origin',
      });
      expect(headers['access-control-expose-headers']).toBe('X-Request-Id,WWW-Authenticate,Retry-After');
    }
    expect(replies[1]?.headers['www-authenticate']).toBe('Bearer realm="Things"');
    expect(await endOf(app)).toHaveLength(replies.length);
  });

  test('a contract without credentials can be called, too', async () => {
    const source = THINGS.replace('security: [{ bearerAuth: [] }]', 'security: []');
    const contract = loadText(source.replace(/  securitySchemes:\n.*\n/, ''));
    await using app = await startThings({ contract, corsOrigins: '*' });
    await preflight(app).expect(204);
    await request(app.server).post('/things').send({ id: 1, name: 'Rose' }).expect(200);
  });

  test('headers are those of the contract, and an operation with the method OPTIONS is one', async () => {
    const contract = loadText(
      contractWith({
        ...{ path: '/things', components: 'securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }' },
        members: 'parameters: [{ name: If-Match, in: header, schema: { type: string } }], security: [{ key: [] }]',
        responses: "'200': { description: Kept., headers: { ETag: { schema: { type: string } } } }",
      }).replace('post: {', "options: { operationId: b, responses: { '204': { description: Here. } } }, post: {"),
    );
    const handlers = { a: () => undefined, b: (_: never, reply: (status: number) => never) => reply(204) };
    await using app = await startThings({ contract, handlers, verifiers: { key: () => undefined }, corsOrigins: '*' });
    const { headers } = await preflight(app).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-methods': 'OPTIONS,POST',
      'access-control-allow-headers': 'Authorization,Content-Type,X-Request-Id,traceparent,X-Key,If-Match',
      'access-control-expose-headers': 'X-Request-Id,WWW-Authenticate,Retry-After,ETag',
    });
    await request(app.server).options('/things').set('Origin', ORIGIN).expect(204);
    await request(app.server).options('/things').set('Access-Control-Request-Method', 'POST').expect(204);
    expect((await endOf(app)).map(({ operation }) => operation)).toEqual([undefined, 'b', 'b']);
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
        ...{ 'content-type': JSON_TYPE, 'content-length': String(text.length), 'x-request-id': 'with-helmet' },
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      });
    }
    const page = await request(app.server).get('/docs').expect(200);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN' });
    expect(await endOf(app)).toHaveLength(4);
  });

  test('express-rate-limit: its refusal has the body and the log line of any other, and its headers', async () => {
    using clock = holdClock('Date');
    const limit = rateLimit({ limit: 1, validate: { xForwardedForHeader: false }, handler: refuseMany });
    await using app = await startThings({ before: [limit], corsOrigins: '*' });
    await postThing(app.server, ROSE).expect(200);
    clock.pass(1_000);
    // Express believes no proxy unless it is told to: a client cannot pass for another one.
    const { headers, text } = await postThing(app.server, ROSE, { 'X-Forwarded-For': '10.0.0.1' }).expect(429);
    expect(JSON.parse(text)).toEqual({ error: 42900, message: 'Slower, please.' });
    expect(headers).toMatchObject({ 'content-type': JSON_TYPE, 'retry-after': '59', 'x-ratelimit-limit': '1' });
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
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
    const outcome = { id: 'one-too-many', status: 429, isAborted: false, refusal: undefined };
    expect(await endOf(app)).toMatchObject([outcome]);
  });

  test('middleware says nothing of how to read the body, and a list that it began is continued', async () => {
    const before: RequestHandler = (_req, res, next) => {
      res.status(418).set({
        ...{ 'Content-Type': 'text/html', 'Content-Length': '5', 'Content-Encoding': 'gzip', Trailer: 'X' },
        ...{ 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'forged-by-it', 'X-Own': 'kept', Vary: 'X-Tenant' },
      });
      res.cookie('a', 'b').cookie('c', 'd');
      next();
    };
    await using app = await startThings({ before: [before] });
    const [reply, ...more] = await sendRaw(
      app.port,
      `POST /things HTTP/1.1\r\nHost: a\r\nX-Request-Id: its-own-id\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${String(ROSE.length)}\r\nConnection: close\r\n\r\n${ROSE}`,
    );
    expect(more).toEqual([]);
    expect(reply).toMatchObject({ status: 200, body: '{"name":"Rose"}' });
    expect(reply?.headers).toEqual({
      ...{ 'x-own': 'kept', 'set-cookie': 'c=d; Path=/', vary: 'X-Tenant', 'content-type': JSON_TYPE },
      ...{ 'content-length': '15', 'x-request-id': 'its-own-id', connection: 'close' },
      'x-content-type-options': 'nosniff',
      date: expect.any(String) as string,
    });
    await request(app.server).get('/docs').expect('Vary', 'X-Tenant, Accept-Encoding').expect('X-Own', 'kept');
  });

  test('middleware that never answers: the request has its line when the client is gone', async () => {
    await using app = await startThings({ before: [() => undefined] });
    expect(await leave(app, once(app.server, 'request'))).toMatchObject([{ method: 'POST', isAborted: true }]);
  });

  test.each<[string, RequestHandler, number]>([
    ['throws', throwFailure, 500],
    ['rejects', () => Promise.reject(fail(500)), 500],
    ['passes on what is not an error', passOnText, 500],
    ['fails because another service refused', () => Promise.reject(fail(403)), 500],
  ])('middleware that %s: a refusal that says nothing', async (_, before, status) => {
    await using app = await startThings({ before: [before] });
    const { text, headers } = await postThing(app.server, ROSE).expect(status);
    expect(text).not.toContain('secret');
    expect(headers['content-type']).toBe(JSON_TYPE);
    const refusal = expect.any(Error) as Error;
    expect(await endOf(app)).toMatchObject([{ id: headers['x-request-id'], status, refusal }]);
  });

  test.each<[string, RequestHandler, string, object, number]>([
    ['answers and goes on all the same', answerAndGoOn(200, 'answered'), 'answered', { operation: undefined }, 0],
    ['fails after it let the request through', failAfter(goOn), '{"name":"Rose"}', FAILURE, 1],
    ['fails after it answered', failAfter(answer(200, 'answered')), 'answered', {}, 0],
  ])('middleware that %s: the first reply stands, and there is one line', async (...row) => {
    const [, before, text, outcome, count] = row;
    await using app = await startThings({ before: [before] });
    await postThing(app.server, ROSE).expect(200, text);
    expect(app.rows()).toHaveLength(count);
    expect(await endOf(app)).toMatchObject([{ status: 200, ...outcome }]);
  });

  test('middleware that fails while the handler is at work: the handler has the last word', async () => {
    const createThing = async (_: never, reply: (status: number, body: object) => unknown): Promise<unknown> => {
      // The middleware has failed by the next turn of the event loop.
      await nextTurn();
      return reply(200, { name: 'Rose' });
    };
    await using app = await startThings({ before: [failAfter(goOn), goOn], handlers: { createThing } });
    await postThing(app.server, ROSE).expect(200, '{"name":"Rose"}');
    expect(await endOf(app)).toMatchObject([{ status: 200, ...FAILURE }]);
  });

  test('middleware that fails in the middle of its reply: the connection ends', async () => {
    await using app = await startThings({ before: [failAfter((_req, res) => void res.write('half'))] });
    await expect(postThing(app.server, ROSE)).rejects.toThrow('aborted');
    expect(await endOf(app)).toMatchObject([{ status: 200, isAborted: true, refusal: { kind: 'INTERNAL_ERROR' } }]);
  });
});

describe('middleware after credentials', () => {
  const verify = (token: string): { subject: string } | undefined =>
    token.startsWith('token-of-') ? { subject: token.slice('token-of-'.length) } : undefined;
  const as = (subject: string): Record<string, string> => ({ Authorization: `Bearer token-of-${subject}` });
  const start = (...afterCredentials: CallerMiddleware[]): ReturnType<typeof startThings> =>
    startThings({ contract: WITH_429, afterCredentials, verify });

  /** A limit for each caller. */
  const createLimit = () =>
    rateLimit({
      limit: 100,
      keyGenerator: (_req, res) => {
        const callers = Object.entries((res.locals as Caller).identity);
        return JSON.stringify(callers.map(([scheme, { subject }]) => [scheme, subject]));
      },
      handler: refuseMany,
    });

  test('express-rate-limit: each subject of a scheme has its own limit', async () => {
    using clock = holdClock('Date');
    const source = WITH_429.source
      .toString()
      .replace('[{ bearerAuth: [] }]', '[{ bearerAuth: [] }, { key: [] }]')
      .replace('  securitySchemes:\n', '$&    key: { type: apiKey, in: header, name: X-Key }\n');
    const verifiers = { bearerAuth: verify, key: verify };
    const contract = loadText(source);
    await using app = await startThings({ contract, verifiers, afterCredentials: [createLimit()] });
    for (let call = 0; call < 100; call++) await postThing(app.server, ROSE, as('ada')).expect(200);
    clock.pass(1_000);
    const { headers, text } = await postThing(app.server, ROSE, as('ada')).expect(429);
    expect(JSON.parse(text)).toEqual({ error: 42900, message: 'Slower, please.' });
    expect(headers).toMatchObject({ 'content-type': JSON_TYPE, 'retry-after': '59' });
    await postThing(app.server, ROSE, as('bob')).expect(200);
    await postThing(app.server, ROSE, { 'X-Key': 'token-of-ada' }).expect(200);
    // Who is nobody costs nobody anything.
    await request(app.server).post('/things').expect(401);
    await postThing(app.server, ROSE, { Authorization: 'Bearer x' }).expect(401);
    const outcomes = (await endOf(app)).slice(99);
    expect(outcomes.map(({ status }) => status)).toEqual([200, 429, 200, 200, 401, 401]);
    expect(outcomes[1]).toMatchObject({ operation: 'createThing', refusal: { kind: 'TOO_MANY_REQUESTS' } });
  });

  test('middleware after credentials knows who calls what, runs in its order, and its headers arrive', async () => {
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
    ['answers', answer(402, 'pay'), 402, { refusal: undefined }],
    ['answers and goes on all the same', answerAndGoOn(402, 'pay'), 402, { refusal: undefined }],
    ['rejects', () => Promise.reject(fail(500)), 500, FAILURE],
    ['passes on what is not an error', passOnText, 500, { refusal: { kind: 'INTERNAL_ERROR' } }],
    ['throws undefined', throwUndefined, 500, { refusal: { kind: 'INTERNAL_ERROR' } }],
  ])('middleware after credentials that %s: nothing is done, and there is one line', async (...row) => {
    const [, middleware, status, outcome] = row;
    await using app = await start(middleware);
    const sent = { ...as('ada'), 'X-Request-Id': 'the-only-line' };
    const { headers } = await postThing(app.server, ROSE, sent).expect(status);
    expect(headers['x-request-id']).toBe('the-only-line');
    expect(app.rows()).toEqual([]);
    expect(await endOf(app)).toMatchObject([{ id: 'the-only-line', operation: 'createThing', status, ...outcome }]);
  });

  test('middleware after credentials that never answers: the request has its line when the client is gone', async () => {
    const came = Promise.withResolvers<undefined>();
    await using app = await start(() => {
      came.resolve(undefined);
    });
    const outcomes = await leave(app, came.promise, 'Authorization: Bearer token-of-ada\r\n');
    expect(outcomes).toMatchObject([{ operation: 'createThing', isAborted: true }]);
  });

  test('a client that is gone before it is known who it is: nothing runs', async () => {
    const held = Promise.withResolvers<undefined>();
    const seen: unknown[] = [];
    await using app = await startThings({
      verify: async (token) => {
        seen.push('verify');
        await held.promise;
        return verify(token);
      },
      afterCredentials: [() => seen.push('middleware')],
    });
    app.server.once('request', (_req, res: ServerResponse) => res.once('close', held.resolve));
    const outcomes = await leave(
      app,
      until(() => seen.length > 0),
      'Authorization: Bearer token-of-ada\r\n',
    );
    expect(seen).toEqual(['verify']);
    expect(outcomes).toMatchObject([{ operation: 'createThing', isAborted: true }]);
  });
});

describe('middleware that fails when the head of a reply is written', () => {
  const failAtHead: RequestHandler = (_req, res, next) => {
    res.writeHead = () => {
      throw new Error('no session');
    };
    next();
  };

  test.each([ROSE, '{}'])('ends the connection of %s with a line of the log, and not the process', async (body) => {
    await using app = await startThings({ before: [failAtHead] });
    await expect(postThing(app.server, body)).rejects.toThrow('socket hang up');
    await until(() => app.outcomes.length === 1);
    expect(app.outcomes).toMatchObject([
      { status: 500, operation: 'createThing', isAborted: true, refusal: { cause: new Error('no session') } },
    ]);
  });
});
