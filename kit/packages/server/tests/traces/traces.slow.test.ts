import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { startPostgres } from '@contract-kit/test-support/start-postgres';
import { LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { useFolder } from '@contract-kit/test-support/use-folder';

/** A span, as OTLP has it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2: of a server, 3: of a client. */
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
}

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

interface Line {
  readonly msg: string;
  readonly status?: number;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly aborted?: boolean;
}

const SERVER = 2;
const CLIENT = 3;
const TOKEN = 'a-token-for-the-tests';
/** Of requests that come at once. */
const numbers = Array.from({ length: 12 }, (_, index) => 100 + index);
const folder = useFolder();
const spans: OtlpSpan[] = [];
/** The traceparent of each request to the other service, by its path. */
const calls: { readonly path: string | undefined; readonly traceparent: string }[] = [];
let lines: readonly Line[] = [];

/** For a process that is not overloaded on a busy machine, either. */
const CALM = `require('node:perf_hooks').monitorEventLoopDelay = () => ({ enable() {}, count: 0, disable() {} });`;

/** Starts the traced service. */
function start(env: Record<string, string>): ServiceProcess {
  const settings = { NODE_PATH: resolve('node_modules'), API_TOKENS: TOKEN, BASE_URL: 'http://localhost/v1', ...env };
  const calm = join(folder, 'calm.js');
  writeFileSync(calm, CALM);
  const loaded = ['scripts/register.cjs', calm, 'packages/server/tracing.js'];
  const args = loaded.flatMap((file) => ['--require', resolve(file)]);
  return startProcess(settings, [...args, resolve('packages/server/tests/traces/service.ts')]);
}

/** The context that a client sends: its number as trace id. */
function toHeaders(number: number): Record<string, string> {
  return { traceparent: `00-${toTraceId(number)}-00f067aa0ba902b7-01` };
}

function toTraceId(number: number): string {
  return String(number).padStart(32, '0');
}

function spansOf(number: number, kind: number): OtlpSpan[] {
  return spans.filter((span) => span.traceId === toTraceId(number) && span.kind === kind);
}

function attributesOf({ attributes }: OtlpSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The only span of a request that a server has. */
function serverSpanOf(number: number): OtlpSpan & { readonly about: Record<string, unknown> } {
  const [span, ...others] = spansOf(number, SERVER);
  if (!span || others.length > 0) throw new Error(`request ${String(number)} has ${String(others.length)} more`);
  return { ...span, about: attributesOf(span) };
}

async function leave(port: number, path: string, number: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\ntraceparent: ${String(toHeaders(number)['traceparent'])}\r\n\r\n`);
  // Its handler waits once a later request has its reply.
  await fetch(`http://127.0.0.1:${String(port)}/v1/failures/declared`, { headers: toHeaders(999) });
  socket.resetAndDestroy();
}

beforeAll(async () => {
  await using database = await startPostgres();
  await using receiver = await listenOnLoopback(
    createServer((req, res) => {
      void json(req).then((body) => {
        const { resourceSpans } = body as Export;
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
        res.end('{}');
      });
    }),
  );
  await using peer = await listenOnLoopback(
    createServer((req, res) => {
      calls.push({ path: req.url, traceparent: String(req.headers['traceparent']) });
      res.end();
    }),
  );
  const env = {
    DATABASE_URL: database.url,
    PEER: peer.base.origin,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.base.origin,
    // An hour: all of them are sent when the service stops.
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  };
  using service = start(env);
  const [, url = ''] = await service.waitFor(LISTENING);

  async function send(number: number, path: string, { headers = {}, ...init }: Init = {}): Promise<void> {
    const reply = await fetch(url + path, { ...init, headers: { ...toHeaders(number), ...headers } });
    await reply.text().catch(() => undefined);
  }
  async function create(number: number, token = TOKEN): Promise<void> {
    const body = JSON.stringify({ number, text: 'a note' });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    await send(number, '/notes', { method: 'POST', headers, body });
  }

  await create(1);
  await create(2, 'another-token');
  await send(3, '/no/such/path');
  await send(4, '/notes', { method: 'DELETE' });
  for (const [index, kind] of ['broken', 'away', 'declared', 'cut'].entries())
    await send(5 + index, `/failures/${kind}`);
  const port = Number(new URL(url).port);
  await leave(port, '/v1/failures/waiting', 9);
  // More at once than there are connections that read.
  await Promise.all(numbers.map((number) => send(number, `/notes/${String(number)}`)));
  service.child.kill('SIGTERM');
  await service.ended;
  lines = service.output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
});

test('the span of a request has the method, the path of the contract behind that of the base URL, and the status', () => {
  const { name, parentSpanId, status, about } = serverSpanOf(1);
  expect({ name, parentSpanId, status }).toEqual({
    name: 'POST /v1/notes',
    parentSpanId: '00f067aa0ba902b7',
    status: { code: 0 },
  });
  expect(about).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v1/notes',
    'http.response.status_code': 201,
    'enduser.id': 'c27dc09e',
  });
  expect(about).not.toHaveProperty(['error.type']);
});

test('a parameter is in the route as the contract has it', () => {
  const { name, about } = serverSpanOf(100);
  expect([name, about['http.route']]).toEqual(['GET /v1/notes/{number}', '/v1/notes/{number}']);
});

test.each([
  ['401', 2, 'POST /v1/notes', 401],
  ['404', 3, 'GET', 404],
  ['405', 4, 'DELETE', 405],
])('%s is no failure of the server', (_, number, expectedName, code) => {
  const { name, status, about } = serverSpanOf(number);
  expect([name, status.code, about['http.response.status_code']]).toEqual([expectedName, 0, code]);
  expect(about).not.toHaveProperty(['enduser.id']);
  expect(about).not.toHaveProperty(['error.type']);
  expect(about['http.route']).toBe(expectedName.split(' ')[1]);
});

test.each([
  ['500', 5, 500, '500'],
  ['503', 6, 503, '503'],
  ['a 5xx that the handler replies', 7, 507, '507'],
  ['a reply that is cut', 8, 200, 'aborted'],
])('%s is a failure', (_, number, code, type) => {
  const { name, status, about } = serverSpanOf(number);
  expect([name, status.code]).toEqual(['GET /v1/failures/{kind}', 2]);
  expect([about['http.response.status_code'], about['error.type']]).toEqual([code, type]);
});

test('a client that leaves is no failure of the server', () => {
  const { name, status, about, spanId } = serverSpanOf(9);
  expect([name, status.code, about['error.type']]).toEqual(['GET /v1/failures/{kind}', 0, 'aborted']);
  expect(lines.filter(({ aborted }) => aborted)).toContainEqual(
    expect.objectContaining({ status: 499, trace_id: toTraceId(9), span_id: spanId }),
  );
});

test('a row is stored by a span of its request', () => {
  const children = spansOf(1, CLIENT);
  const { spanId } = serverSpanOf(1);
  expect(children).toContainEqual(expect.objectContaining({ name: 'pg.query:WITH postgres', parentSpanId: spanId }));
});

test('requests that wait for each other keep their spans: those of the database and of both calls are their children', () => {
  for (const number of numbers) {
    const { spanId } = serverSpanOf(number);
    const children = spansOf(number, CLIENT);
    const asked = children.filter(({ name }) => /^GET|^pg\.query:SELECT/.test(name));
    expect(asked.map(({ name, parentSpanId }) => [name, parentSpanId]).sort()).toEqual([
      ['GET', spanId],
      ['GET', spanId],
      ['pg.query:SELECT postgres', spanId],
    ]);
    const paths = children.flatMap((child) => {
      const traceparent = `00-${child.traceId}-${child.spanId}-01`;
      return calls.filter((call) => call.traceparent === traceparent).map(({ path }) => path);
    });
    expect(paths.sort()).toEqual(['/fetched', '/got']);
  }
});

test('the lines of a request have its ids, those of the handler too, and no other line has any', () => {
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const { traceId, spanId } = serverSpanOf(number);
    const found = lines.filter(({ trace_id: id }) => id === traceId);
    expect(found).toEqual([expect.objectContaining({ msg: 'request', span_id: spanId })]);
  }
  const { traceId, spanId } = serverSpanOf(100);
  const found = lines.filter(({ trace_id: id }) => id === traceId);
  expect(found.map(({ msg, span_id: id }) => [msg, id])).toEqual([
    ['asked', spanId],
    ['request', spanId],
  ]);
  const others = lines
    .filter(({ trace_id: id }) => id === undefined)
    .map(({ msg, status }) => `${msg} ${String(status)}`);
  expect(others).toEqual(['listening undefined', 'stopping undefined', 'stopped undefined']);
});
