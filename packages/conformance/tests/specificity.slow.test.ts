import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import {
  ALL_CLASSES,
  createSuite,
  describeCause,
  groupByCause,
  runSuite,
  type CaseResult,
  type Level,
} from '@contract-kit/conformance';
import { createRenderer, createServer } from '@contract-kit/server';
import { errors } from '../../../generated/contract';
import { listenOnLoopback, type ListeningServer } from '../../../tests/support/listen-on-loopback';
import { SECRETS, startApp } from '../../../tests/support/start-app';

// Servers that are right, and not like ours: at the levels of the standards nothing is said against them. Each stands in
// front of the service as a proxy and makes its replies those of another framework.

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** How its length is told. */
  framing?: 'length' | 'chunks' | 'close';
}

const QUICK = ['positive', 'negative', 'auth', 'method'];
const HTML = Buffer.from('<!doctype html><title>No</title>');
const PROBLEM = 'application/problem+json';

const VARIANTS: Readonly<Record<string, (reply: Reply) => Reply>> = {
  'a charset, and headers that the contract does not list': (reply) => ({
    ...reply,
    headers: {
      ...reply.headers,
      'content-type': 'application/json; charset=utf-8',
      'x-powered-by': 'Another',
      'x-frame-options': 'DENY',
      etag: 'W/"1"',
    },
  }),
  'replies in chunks': (reply) => ({ ...reply, framing: 'chunks' }),
  'replies that end with the connection': (reply) => ({ ...reply, framing: 'close' }),
  '422 instead of 400, 413 and 415, in a shape of its own': (reply) =>
    reply.status === 400
      ? {
          status: [422, 413, 415][reply.body.length % 3] ?? 422,
          headers: { 'content-type': PROBLEM },
          body: Buffer.from('{"title":"No"}'),
        }
      : reply,
  'pages for what it does not know': (reply) =>
    reply.status === 404 || reply.status === 405
      ? { ...reply, headers: { ...reply.headers, 'content-type': 'text/html' }, body: HTML }
      : reply,
  '404 for methods that a path has not': (reply) =>
    reply.status === 405 ? { status: 404, headers: { 'content-type': 'text/html' }, body: HTML } : reply,
  '403 without credentials': (reply) =>
    reply.status === 401 ? { status: 403, headers: { 'content-type': 'text/html' }, body: HTML } : reply,
};

/** A proxy that alters replies, on a server that takes nothing but HTTP: Node's own takes two Hosts. */
function startVariant(port: number, change: (reply: Reply) => Reply): Promise<ListeningServer> {
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    forward(req, port).then(
      (reply) => {
        write(res, change(reply));
      },
      () => res.destroy(),
    );
  };
  const render = createRenderer({ contract: { operations: [] }, errors });
  const parts = { render, report: () => undefined, bodyLimit: 1024 ** 2 };
  return listenOnLoopback(createServer(serve, parts));
}

async function forward(req: IncomingMessage, port: number): Promise<Reply> {
  const sent = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers: req.headers });
  req.pipe(sent);
  req.on('close', () => {
    if (!req.complete) sent.destroy();
  });
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return { status: Number(reply.statusCode), headers: reply.headers, body: Buffer.concat(chunks) };
}

function write(res: ServerResponse, { status, headers, body, framing = 'length' }: Reply): void {
  // What was no HTTP after its head has its reply.
  if (res.headersSent || res.destroyed) return;
  const kept = without(headers, 'content-length', 'connection', 'keep-alive');
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) res.setHeader(name, value);
  res.statusCode = status;
  if (framing === 'length') res.setHeader('Content-Length', body.length);
  if (framing === 'close') {
    res.useChunkedEncodingByDefault = false;
    res.shouldKeepAlive = false;
    res.removeHeader('Content-Length');
  }
  res.write(body);
  res.end();
}

function without(headers: IncomingHttpHeaders, ...names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

async function judge(base: URL, level: Level, classes: readonly string[] = ALL_CLASSES): Promise<string[]> {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { bodyLimit: 1024 ** 2, marker: 'variant', level });
  const results: CaseResult[] = [];
  const target = { base, secrets: SECRETS, timeout: 60_000 };
  const options = {
    random: { seed: 1, runs: 20, isMarked: false },
    isWanted: (kind: { class: string }) => classes.includes(kind.class),
    // Most of the time is waiting.
    workers: 16,
  };
  for await (const result of runSuite(suite, target, options)) results.push(result);
  expect(results.length).toBeGreaterThan(20);
  return groupByCause(results).map(describeCause);
}

test.each(Object.entries(VARIANTS))('%s: no standard forbids it', async (name, change) => {
  await using app = await startApp();
  await using variant = await startVariant(app.port, change);
  // It has all that `contract` has.
  // After a body without end the connection stays for a while; once is enough.
  const classes = ALL_CLASSES.filter((one) => one !== 'size' || name.includes('413'));
  expect(await judge(variant.base, 'robust', classes)).toEqual([]);
});

test('house rules do', async () => {
  await using app = await startApp();
  await using variant = await startVariant(app.port, (reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-type': 'application/json; charset=utf-8' },
  }));
  const [cause, ...others] = await judge(variant.base, 'strict');
  expect(cause).toContain('[media-type-spelling; house rule]');
  expect(others).toEqual([]);
});

test('what is wrong is found at the level of standards', async () => {
  await using app = await startApp();
  const faults: readonly [fault: string, (reply: Reply) => Reply][] = [
    ['valid-refused', (reply) => (reply.status === 200 ? { ...reply, status: 400 } : reply)],
    ['success-undeclared', (reply) => (reply.status === 200 ? { ...reply, status: 201 } : reply)],
    ['server-error', (reply) => (reply.status === 400 ? { ...reply, status: 500 } : reply)],
    ['invalid-accepted', (reply) => (reply.status === 400 ? { ...reply, status: 200 } : reply)],
    ['unauthorized-accepted', (reply) => (reply.status === 401 ? { ...reply, status: 200 } : reply)],
    ['challenge', (reply) => ({ ...reply, headers: without(reply.headers, 'www-authenticate') })],
    ['allow-header', (reply) => ({ ...reply, headers: without(reply.headers, 'allow') })],
    ['media-type', (reply) => ({ ...reply, headers: { ...reply.headers, 'content-type': 'text/html' } })],
    ['schema', (reply) => (reply.status === 200 ? { ...reply, body: Buffer.from('{"name":1}') } : reply)],
    ['body-malformed', (reply) => (reply.status === 200 ? { ...reply, body: Buffer.from('{"name":') } : reply)],
  ];
  for (const [check, change] of faults) {
    await using variant = await startVariant(app.port, change);
    expect((await judge(variant.base, 'contract', QUICK)).filter((line) => line.includes(`[${check};`))).not.toEqual(
      [],
    );
  }
});
