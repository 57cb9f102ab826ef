import { createServer } from 'node:http';
import express from 'express';
import type { RequestHandler } from 'express';
import { createRenderer, type RendererOptions } from '../../src/errors/create-renderer';
import { REFUSALS } from '../../src/errors/refusal';
import { createContractServer, refuseErrors, trackRequests } from '../../src/http/server';
import type { CallerMiddleware } from '../../src/pipeline/middleware';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import type { Outcome } from '../../src/http/report';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { serveText } from '@contract-kit/test-support/serve-text';
import { until } from '@contract-kit/test-support/until';

const BODY =
  '{ type: object, required: [code], properties: { code: { type: integer }, message: { type: string, maxLength: 120 } } }';
const CONTENT = `content: { application/json: { schema: ${BODY} } }`;
const toContract = (responses: string): string => `openapi: 3.1.0
info: { title: Thrown, version: 1.0.0 }
security: []
paths:
  /seats/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    put: { operationId: keepSeat, responses: { '204': { description: Kept. }, ${responses} } }
`;
const DECLARED = `'409': { description: Taken., ${CONTENT} }`;
const RANGE = `4XX: { description: Wrong., ${CONTENT} }`;
const DEFAULT = `default: { description: Failed., ${CONTENT} }`;

/** An error as http-errors makes it. */
const createError = (status: number, message: string, expose = status < 500): Error & { readonly status: number } =>
  Object.assign(new Error(message), { status, statusCode: status, expose });

const tellCode: RendererOptions['renderError'] = ({ status, message }) => ({ code: status, message });

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly outcome: Outcome;
}

/** What the client and the log are told when a handler, or middleware behind the credentials, throws this. */
async function send(responses: string, options: Partial<ServiceOptions>, thrown?: unknown): Promise<Sent> {
  const source = toContract(responses);
  const render = createRenderer({ contract: loadText(source), renderError: tellCode });
  const keepSeat = (): never => {
    throw thrown;
  };
  await using served = await serveText(source, { keepSeat }, {}, { render, ...options });
  const reply = await fetch(new URL('/seats/a', served.base), {
    method: 'PUT',
    body: '{',
    headers: { 'Content-Type': 'application/json' },
  });
  const text = await reply.text();
  await until(() => served.outcomes.length === 1);
  const [outcome] = served.outcomes as [Outcome];
  return { status: reply.status, text, outcome };
}

const taken = createError(409, 'The seat is taken.');
const WAYS: readonly (readonly [string, (cause: unknown) => readonly [Partial<ServiceOptions>, unknown?]])[] = [
  ['a handler throws', (cause) => [{}, cause]],
  [
    'middleware after credentials passes on',
    (cause) => [
      {
        afterCredentials: [
          ((_req, _res, next) => {
            next(cause);
          }) satisfies CallerMiddleware,
        ],
      },
    ],
  ],
];

describe.each(WAYS)('an error that %s', (_name, toParts) => {
  const sendThrown = (responses: string, cause: unknown): Promise<Sent> => send(responses, ...toParts(cause));

  test.each([
    ['its own declaration', DECLARED],
    ['the range of its status', RANGE],
    ['the default', DEFAULT],
  ])('with expose keeps its status and message under %s', async (_, responses) => {
    const { status, text, outcome } = await sendThrown(responses, taken);
    expect([status, JSON.parse(text)]).toEqual([409, { code: 409, message: 'The seat is taken.' }]);
    expect(outcome).toMatchObject({
      status: 409,
      operation: 'keepSeat',
      refusal: { kind: 'REFUSED_BY_SERVICE', cause: taken },
    });
  });

  test.each([401, 402, 403, 404, 405, 406, 410, 412, 413, 415, 422, 423, 428, 429, 451, 501, 503])(
    'with expose keeps the status %i, whatever kind of refusal the kit has for it',
    async (status) => {
      const sent = await sendThrown(DEFAULT, createError(status, 'Not so.', true));
      expect([sent.status, JSON.parse(sent.text)]).toEqual([status, { code: status, message: 'Not so.' }]);
    },
  );

  test('with expose and a status that is not declared is a 500 whose cause names both', async () => {
    const { status, text, outcome } = await sendThrown(
      `'410': { description: Gone. }, '500': { description: Failed., ${CONTENT} }`,
      taken,
    );
    expect([status, JSON.parse(text)]).toEqual([500, { code: 500, message: REFUSALS.INTERNAL_ERROR.meaning }]);
    const message = 'an error was thrown with the status 409, but keepSeat does not declare it';
    expect(outcome.refusal).toMatchObject({ kind: 'INTERNAL_ERROR', cause: { message, cause: taken } });
  });

  test('with expose and a message that the declared body does not allow keeps its status', async () => {
    const { status, text } = await sendThrown(DEFAULT, createError(409, 'x'.repeat(121)));
    expect([status, JSON.parse(text)]).toEqual([409, { code: 409, message: REFUSALS.REFUSED_BY_SERVICE.meaning }]);
  });

  test('with expose and no message has a message all the same', async () => {
    const { text } = await sendThrown(DEFAULT, Object.assign(new Error(''), { status: 409, expose: true }));
    expect(JSON.parse(text)).toEqual({ code: 409, message: REFUSALS.REFUSED_BY_SERVICE.meaning });
  });

  test('with expose is a 500 where renderError does not make the body that is declared for its status', async () => {
    const other = `'409': { description: Taken., content: { application/json: { schema: { type: array } } } }, ${DEFAULT}`;
    const { status, outcome } = await sendThrown(other, taken);
    expect(status).toBe(500);
    expect(outcome.refusal?.cause).toMatchObject({
      message: expect.stringContaining('must be array') as string,
      cause: taken,
    });
  });

  test.each<[string, unknown]>([
    ['a status, as a client of another service throws it', Object.assign(new Error('secret'), { status: 404 })],
    ['expose: false', createError(409, 'secret', false)],
    ['expose, and a status that is not an error', Object.assign(new Error('secret'), { status: 200, expose: true })],
    ['expose, and a status that is not a number', Object.assign(new Error('secret'), { status: '409', expose: true })],
    ['expose alone', Object.assign(new Error('secret'), { expose: true })],
    ['neither', new Error('secret')],
  ])('with %s is a 500 that says nothing of it', async (_, cause) => {
    const { status, text, outcome } = await sendThrown(DEFAULT, cause);
    expect([status, JSON.parse(text)]).toEqual([500, { code: 500, message: REFUSALS.INTERNAL_ERROR.meaning }]);
    expect(outcome.refusal).toMatchObject({ kind: 'INTERNAL_ERROR', cause });
  });
});

test('what a handler throws that is not an error is a 500', async () => {
  await expect(send(DEFAULT, {}, { status: 409, expose: true, message: 'secret' })).resolves.toMatchObject({
    status: 500,
  });
});

test('an error that isUnavailable knows is a 503, though it has a status', async () => {
  const { status } = await send(DEFAULT, { isUnavailable: (cause) => cause === taken }, taken);
  expect(status).toBe(503);
});

test('what a body parser behind the credentials refuses is as the kit refuses it', async () => {
  const afterCredentials = [express.json() as CallerMiddleware];
  const { status, text, outcome } = await send(`'422': { description: Wrong., ${CONTENT} }`, { afterCredentials });
  expect([status, JSON.parse(text)]).toEqual([
    422,
    { code: 422, message: 'The request body is not well-formed JSON.' },
  ]);
  expect(outcome.refusal?.kind).toBe('MALFORMED_JSON');
});

describe('in front of the operations', () => {
  const contract = { operations: [] };
  const start = (...middleware: RequestHandler[]) => {
    const options = { contract, report: () => undefined };
    const app = express().use(trackRequests(options), ...middleware, refuseErrors(options));
    return listenOnLoopback(createServer(app));
  };

  test.each<[string, RequestHandler, number, string]>([
    [
      'an error with expose keeps status and message',
      () => {
        throw createError(403, 'invalid csrf token');
      },
      403,
      'invalid csrf token',
    ],
    [
      'an error without expose is a 500',
      () => {
        throw Object.assign(new Error('secret'), { status: 403 });
      },
      500,
      REFUSALS.INTERNAL_ERROR.meaning,
    ],
    ['a parser of bodies is as the kit', express.json({ limit: 1 }), 413, REFUSALS.BODY_TOO_LARGE.meaning],
    [
      "a path that Express cannot decode is a client's mistake",
      express.Router().put('/:id', () => undefined),
      400,
      REFUSALS.MALFORMED_REQUEST.meaning,
    ],
  ])('%s', async (_, middleware, status, detail) => {
    await using listening = await start(middleware);
    const reply = await fetch(new URL('/%ff', listening.base), {
      method: 'PUT',
      body: '{ }',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await reply.json()).toMatchObject({ status, detail });
    expect(reply.status).toBe(status);
  });

  test.each([
    ['of Express', express().use('/api', (_req, res) => void res.end())],
    [
      'of node:http',
      (_req: unknown, _res: unknown, next: () => void) => {
        next();
      },
    ],
  ])('a path beside a contract that an application %s mounts below another path is 404, and logged', async (_, app) => {
    const outcomes: Outcome[] = [];
    const server = createContractServer(app, {
      render: createRenderer({ contract }),
      report: (outcome) => outcomes.push(outcome),
    });
    await using listening = await listenOnLoopback(server);
    const reply = await fetch(new URL('/favicon.ico?a=1', listening.base));
    expect([reply.status, await reply.json()]).toEqual([404, expect.objectContaining({ title: 'Not Found' })]);
    await until(() => outcomes.length === 1);
    const refusal = { kind: 'UNKNOWN_PATH' };
    expect(outcomes).toMatchObject([{ status: 404, requestedPath: '/favicon.ico', refusal }]);
  });
});
