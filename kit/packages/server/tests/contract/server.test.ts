import { once } from 'node:events';
import type { ServerOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Outcome } from '../../src/http/report';
import { createContractServer, type Listener } from '../../src/http/server';
import { IMPATIENT } from '../../src/runtime/situations';
import { renderFixture } from '@contract-kit/test-support/fixture-errors';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { openClient, type RawClient, sendRaw, type RawReply } from '@contract-kit/test-support/send-raw';
import { startThings, TOKEN } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { serveText } from '@contract-kit/test-support/serve-text';

const BODY = '{"id":1,"name":"Rose"}';
const REQUEST =
  `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${String(BODY.length)}\r\n`;
const CHUNKED = `${REQUEST.replace(/Content-Length.*\r\n/, '')}Transfer-Encoding: chunked\r\n\r\n`;
const UNKNOWN = 'POST /things HTTP/1.1\r\nHost: a\r\n';
const HUGE = `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
const CONNECT = 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n';

function expectRefusal(reply: RawReply | undefined, error: number): void {
  expect(reply).toMatchObject({ status: 400, headers: { connection: 'close', 'content-type': 'application/json' } });
  expect(JSON.parse(reply?.body ?? '')).toMatchObject({ error });
}

test.each([
  ['no request line', 'nonsense\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', 'FLY /things HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an Origin with a line break', 'GET / HTTP/1.1\r\nHost: a\r\nOrigin: a\nb\r\n\r\n'],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n'],
  ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'],
  ['a header on two lines', 'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n'],
  ['Content-Length with Transfer-Encoding', `${REQUEST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['two Content-Length', `${REQUEST}Content-Length: 3\r\n\r\nabc`],
  ['a Content-Length that is not a number', 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
  ['a chunk without a size', `${CHUNKED}xyz\r\n`],
])('400 and the end of the connection for %s', async (_, bytes) => {
  await using app = await startThings();
  const replies = await sendRaw(app.port, bytes);
  expect(replies).toHaveLength(1);
  expectRefusal(replies[0], 40000);
  expect(app.rows()).toEqual([]);
  await until(() => app.outcomes.length > 0);
  expect(app.outcomes).toMatchObject([{ status: 400, refusal: { kind: 'MALFORMED_REQUEST' } }]);
});

test.each([
  ['no Host', 'GET /things HTTP/1.1\r\n'],
  ['two Hosts', 'GET /things HTTP/1.1\r\nHost: a\r\nHost: a\r\n'],
  ['a malformed Host', 'GET /things HTTP/1.1\r\nHost: a/b\r\n'],
  ['a target that is not a path', 'GET things HTTP/1.1\r\nHost: a\r\n'],
  ['the whole server as target of another method', 'GET * HTTP/1.1\r\nHost: a\r\n'],
  ['a target with a fragment', 'GET /things#1 HTTP/1.1\r\nHost: a\r\n'],
  ['a URL with a fragment as target', 'GET http://a/things?#1 HTTP/1.1\r\nHost: a\r\n'],
  ['another scheme', 'GET ftp://a/things HTTP/1.1\r\nHost: a\r\n'],
  ['another transfer coding', 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n'],
  ['HTTP/2.0', 'POST /things HTTP/2.0\r\nHost: a\r\n'],
  ['more than one expectation', 'POST /things HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, tea\r\n'],
  ['another expectation', 'POST /things HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n'],
])('400 for %s', async (_, head) => {
  await using app = await startThings();
  const [reply] = await sendRaw(app.port, `${head}Connection: close\r\n\r\n`);
  expectRefusal(reply, 40000);
});

test.each([
  ['400 for CONNECT: the server is not a proxy', CONNECT, [400], 40000],
  ['400 for headers beyond the limit of the parser', HUGE, [400], 40001],
  ['what was asked before a CONNECT is answered before it', `${REQUEST}\r\n${BODY}${CONNECT}`, [200, 400], 40000],
  ['what is malformed behind a request is answered after it', `${REQUEST}\r\n${BODY}none\r\n\r\n`, [200, 400], 40000],
])('%s', async (_, bytes, statuses, error) => {
  await using app = await startThings();
  const replies = await sendRaw(app.port, bytes);
  expect(replies.map(({ status }) => status)).toEqual(statuses);
  expectRefusal(replies.at(-1), error);
});

test('a client that resets its CONNECT harms nobody', async () => {
  await using app = await startThings();
  for (let time = 0; time < 20; time++) {
    const socket = connect(app.port, '127.0.0.1');
    await new Promise((resolve) => socket.write(CONNECT, resolve));
    if (time % 2 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  const [reply] = await sendRaw(app.port, `${REQUEST}Connection: close\r\n\r\n${BODY}`);
  expect(reply).toMatchObject({ status: 200 });
});

test('what comes behind a request whose reply ends the connection is not processed', async () => {
  await using app = await startThings();
  const client = openClient(app.port);
  client.socket.write('POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
  await once(client.socket, 'data');
  client.socket.write(`0\r\n\r\n${REQUEST}\r\n${BODY}`);
  await client.closed;
  expect(client.received).toMatch(/^HTTP\/1\.1 404 [^]*Connection: close\r\n/);
  expect(client.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(app.rows()).toEqual([]);
});

test('a request that was answered before it ended gets no second answer', async () => {
  await using app = await startThings();
  const client = openClient(app.port);
  client.socket.write('POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
  await once(client.socket, 'data');
  client.socket.end();
  await client.closed;
  expect(client.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test.each([
  ['CONNECT', CONNECT],
  ['body that does not end', 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\na'],
  ['body that waits', 'POST /things HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n'],
])('a %s whose client never closes does not hold its connection', async (_, bytes) => {
  using clock = holdClock('setTimeout', 'clearTimeout');
  await using app = await startThings();
  const { socket } = openClient(app.port, { allowHalfOpen: true });
  socket.write(bytes);
  await once(socket, 'data');
  const isOpen = (): Promise<boolean> =>
    new Promise((resolve) => {
      app.server.getConnections((_error, count) => {
        resolve(count > 0);
      });
    });
  clock.pass(500);
  await expect(isOpen()).resolves.toBe(true);
  clock.pass(3_500);
  await until(async () => !(await isOpen()));
  socket.destroy();
});

test.each([
  ['http://elsewhere/things', 200],
  ['HTTPS://elsewhere:80/things?', 200],
  ['http://user@elsewhere/things', 400],
  ['http://[::1]:80/things', 200],
  ['http://[::1:99999/things', 400],
  ['http://[elsewhere]/things', 400],
  ['shttp://elsewhere/things', 400],
  ['http://elsewhere/things?x=1', 400],
  ['http://elsewhere', 404],
  ['http://elsewhere?x=1', 404],
])('the absolute form of a target is served: %s is %d', async (target, status) => {
  await using app = await startThings();
  const [reply] = await sendRaw(app.port, `${REQUEST.replace('/things', target)}Connection: close\r\n\r\n${BODY}`);
  expect(reply).toMatchObject({ status });
});

const OLD = REQUEST.replace('HTTP/1.1', 'HTTP/1.0');
const UPGRADE = 'GET /things HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
const CLOSED = `Connection: close\r\n\r\n${BODY}`;

test.each([
  ['a request of HTTP/1.0 needs no Host header', 'GET /things HTTP/1.0\r\n\r\n', [405]],
  ['HTTP/1.0 knows no expectations', `${OLD}Expect: 100-continue\r\n\r\n${BODY}`, [200]],
  ['an offer to upgrade is declined by serving the request', UPGRADE, [405]],
  ['a connection lives on after a 405', `GET /things HTTP/1.1\r\nHost: a\r\n\r\n${REQUEST}${CLOSED}`, [405, 200]],
  ['a connection lives on after a 401', `${UNKNOWN}Content-Length: 2\r\n\r\n{}${REQUEST}${CLOSED}`, [401, 200]],
  [
    'a connection lives on after a 401 to chunks',
    `${UNKNOWN}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${REQUEST}${CLOSED}`,
    [401, 200],
  ],
])('%s', async (_, bytes, statuses) => {
  await using app = await startThings();
  const replies = await sendRaw(app.port, bytes);
  expect(replies.map(({ status }) => status)).toEqual(statuses);
});

const IN_CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const TO_X = 'Connection: Upgrade\r\nUpgrade: x\r\n';

test.each([
  ['offers to upgrade', `GET /things HTTP/1.1\r\nHost: a\r\n${TO_X}\r\n`, 405],
  ['offers to upgrade, and has a body', `${REQUEST}${TO_X}\r\n${BODY}`, 200],
  [
    'is of HTTP/1.0, and comes in chunks',
    `${CHUNKED.replace('1.1', '1.0\r\nConnection: keep-alive')}${IN_CHUNKS}`,
    400,
  ],
])('a request ends its connection that %s', async (_, bytes, status) => {
  await using app = await startThings();
  const client = openClient(app.port);
  client.socket.write(`${bytes}POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`);
  // What would be a request, if the head before it was dropped.
  await once(client.socket, 'data');
  client.socket.write(`${REQUEST}\r\n${BODY}`);
  await client.closed;
  expect(client.received).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} [^]*\r\nConnection: close\r\n`));
  expect(client.received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(app.outcomes).toHaveLength(1);
});

test('the server as a whole is there', async () => {
  await using app = await startThings();
  const ping = 'OPTIONS * HTTP/1.1\r\nHost: a\r\n';
  const replies = await sendRaw(app.port, `${ping}\r\n${ping}Connection: close\r\n\r\n`);
  expect(replies.map(({ status, body }) => `${String(status)} ${body}`)).toEqual(['204 ', '204 ']);
  expect(app.outcomes).toMatchObject([{ method: 'OPTIONS', status: 204, id: replies[0]?.headers['x-request-id'] }, {}]);
});

test.each([
  ['a POST', `${REQUEST}\r\n${BODY}`, [200]],
  ['two', `${REQUEST}\r\n${BODY}GET /things HTTP/1.1\r\nHost: a\r\n\r\n`, [200, 405]],
])('a client that ends its sending half after %s has its replies', async (_, bytes, statuses) => {
  await using app = await startThings();
  const client = openClient(app.port, { allowHalfOpen: true });
  client.socket.end(bytes);
  await client.closed;
  expect([...client.received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))).toEqual(statuses);
});

test.each([
  ['nonsense\r\n\r\n', 'The message is not well-formed HTTP.'],
  [CONNECT, 'The server is not a proxy, and does not support CONNECT.'],
  [HUGE, 'The request line and headers are larger than the server reads.'],
  [`${CHUNKED}1;${'x'.repeat(20_000)}\r\n`, 'The chunk extensions are larger than the server accepts.'],
])('what the parser refuses has a date, an id and the reason: %j', async (bytes, message) => {
  await using app = await startThings();
  const [reply] = await sendRaw(app.port, bytes);
  expect(JSON.parse(String(reply?.body))).toMatchObject({ message });
  expect(Date.parse(String(reply?.headers['date']))).toBeGreaterThan(Date.now() - 60_000);
  await until(() => app.outcomes.length > 0);
  expect(reply?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(app.outcomes[0]?.id).toBe(reply?.headers['x-request-id']);
});

test('a request whose client ends before it does is told so', async () => {
  await using app = await startThings();
  const client = openClient(app.port, { allowHalfOpen: true });
  client.socket.end(`${CHUNKED}1\r\n`);
  await client.closed;
  expect(client.received).toContain('The connection ended before the request did.');
});

test('what comes behind a request that ends the connection is not answered', async () => {
  await using app = await startThings();
  const replies = await sendRaw(app.port, `${REQUEST}Connection: close\r\n\r\n${BODY}nonsense\r\n\r\n`);
  expect(replies.map(({ status }) => status)).toEqual([200]);
  expect(app.outcomes).toHaveLength(1);
});

test('requests in a pipeline are answered in their order, and no time has to pass', async () => {
  using clock = holdClock('setTimeout', 'clearTimeout');
  await using app = await startThings();
  const last = REQUEST.replace('/things', '/x');
  const replies = await sendRaw(app.port, `${REQUEST}\r\n${BODY}${last}Connection: close\r\n\r\n${BODY}`);
  expect(replies.map(({ status }) => status)).toEqual([200, 404]);
  expect(clock.countTimers()).toBe(0);
});

describe('what is left of a refused request', () => {
  async function refuse(port: number, length: number): Promise<RawClient> {
    const client = openClient(port);
    client.socket.write(`POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(length)}\r\n\r\n`);
    await once(client.socket, 'data');
    return client;
  }

  test.each([
    [65_536, 'keep-alive'],
    [65_537, 'close'],
  ])('is read where that is cheaper than a new connection: %d bytes, %s', async (length, connection) => {
    await using app = await startThings();
    const { socket, received } = await refuse(app.port, length);
    expect(received).toContain(`Connection: ${connection}\r\n`);
    socket.destroy();
  });

  test('is waited for until it was sent, and no longer', async () => {
    using clock = holdClock('setTimeout', 'clearTimeout');
    await using app = await startThings();
    const client = await refuse(app.port, 100_000);
    client.socket.write('x'.repeat(100_000));
    // No time passes.
    await client.closed;
    expect(clock.countTimers()).toBe(0);
  });
});

describe('a server in front of any listener', () => {
  async function exchange(
    listener: Listener,
    bytes: string,
    timeouts: ServerOptions = {},
  ): Promise<{ replies: RawReply[]; outcomes: Outcome[] }> {
    const outcomes: Outcome[] = [];
    const parts = { render: renderFixture, report: (outcome: Outcome) => outcomes.push(outcome) };
    await using listening = await listenOnLoopback(createContractServer(listener, parts, timeouts));
    return { replies: await sendRaw(listening.port, bytes), outcomes };
  }
  const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  const fail: Listener = () => {
    throw new Error('secret');
  };
  const passOn: Listener = (_req, _res, done) => {
    done(new Error('secret'));
  };

  test.each<[string, Listener]>([
    ['throws', fail],
    ['passes an error on', passOn],
  ])('500 that says nothing when the listener %s', async (_, listener) => {
    const { replies, outcomes } = await exchange(listener, GET);
    expect(replies[0]).toMatchObject({ status: 500, body: expect.stringContaining('50000') as string });
    expect(replies[0]?.body).not.toContain('secret');
    expect(outcomes[0]).toMatchObject({ status: 500, refusal: { cause: new Error('secret') } });
  });

  const UNFINISHED = ['GET / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab'];

  test.each(UNFINISHED)('400 for a request that does not end: %j', async (bytes) => {
    const { replies } = await exchange((req) => void req.resume(), bytes, IMPATIENT);
    expectRefusal(replies[0], 40002);
  });

  test('a reply is written once', async () => {
    const answer: Listener = (_req, res, done) => {
      res.end('a');
      done();
    };
    const { replies } = await exchange(answer, `${GET.replace('Connection: close\r\n', '')}${GET}`);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});

const HEAD_GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HEAD_POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
const MALFORMED_HEAD = 'HEAD / HTTP/1.1\r\nX-A : 1\r\n\r\n';

/** What a server sends for these parts, each of which is written once it has read the one before. */
async function receive(...parts: readonly string[]): Promise<string> {
  const server = createContractServer(
    (req, res) => {
      req.resume().once('end', () => res.end());
    },
    { render: renderFixture, report: () => undefined },
    IMPATIENT,
  );
  let accepted: Socket | undefined;
  server.on('connection', (socket) => (accepted = socket));
  await using listening = await listenOnLoopback(server);
  const client = openClient(listening.port, { noDelay: true });
  let sent = 0;
  for (const part of parts) {
    await until(() => (accepted?.bytesRead ?? 0) === sent);
    client.socket.write(part);
    sent += part.length;
  }
  await client.closed;
  return client.received;
}

test.each([
  ['has a malformed header', [MALFORMED_HEAD]],
  ['begins with an empty line', [`\r\n${MALFORMED_HEAD}`]],
  ['arrives in two packets', [MALFORMED_HEAD.slice(0, 20), MALFORMED_HEAD.slice(20)]],
  ['has headers that are too large', [`HEAD / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
  ['does not end', ['HEAD / HTTP/1.1\r\n']],
  ['does not end in the name of a header', ['HEAD / HTTP/1.1\r\nX-']],
  ['does not end in the value of a header', [HEAD_GET, 'HEAD / HTTP/1.1\r\nX-A: 1']],
  ['does not end in its request line', ['HEAD / HT']],
  ['comes after another request in a packet of its own', [HEAD_GET, MALFORMED_HEAD]],
  ['comes after another request in one packet', [HEAD_GET + MALFORMED_HEAD]],
  ['comes right after the body of another request', [HEAD_POST + MALFORMED_HEAD]],
])('a reply to HEAD has no content where node:http creates no request for a message that %s', async (_, parts) => {
  const received = await receive(...parts);
  const refusal = received.slice(received.lastIndexOf('HTTP/1.1 '));
  expect(refusal).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nConnection: close\r\n\r\n$/);
  expect(refusal).not.toContain('Content-Length');
});

test.each([
  ['is the first one', [MALFORMED_HEAD.replace('HEAD', 'GET')]],
  ['comes after another one in a packet of its own', [HEAD_GET, MALFORMED_HEAD.replace('HEAD', 'GET')]],
  ['comes after another one in one packet', [HEAD_GET + MALFORMED_HEAD.replace('HEAD', 'GET')]],
])('the refusal of a malformed request that is certainly not HEAD has content if it %s', async (_, parts) => {
  await expect(receive(...parts)).resolves.toContain('"error":40000');
});

test.each(['GET / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nX-', 'POST / HTTP/1.1\r\nX-A: 1'])(
  'the refusal of a request that does not end, and is certainly not HEAD, has content: %j',
  async (head) => {
    await expect(receive(head)).resolves.toContain('"error":40002');
    await expect(receive(HEAD_GET, head)).resolves.toContain('"error":40002');
  },
);

const toHeaders = (length: string): string => `headers: { Content-Length: { ${length} } }`;

/** A reply to HEAD or, conditionally, to HEAD_GET, of an operation whose reply without content declares this. */
async function reply(
  method: 'HEAD' | 'GET',
  declared: string,
  headers: Record<string, unknown>,
): Promise<{ readonly reply: RawReply | undefined; readonly cause: unknown }> {
  const status = method === 'HEAD' ? 200 : 304;
  const source = `openapi: 3.1.0
info: { title: Head, version: 1.0.0 }
security: []
paths:
  /a:
    get: { operationId: get, responses: { '200': { $ref: '#/components/responses/A' }, '304': { $ref: '#/components/responses/A' } } }
    head: { operationId: head, responses: { '200': { $ref: '#/components/responses/A' } } }
components: { responses: { A: { description: It., ${declared} } } }
`;
  const handler: UntypedHandler = (_request, reply) => reply(status, undefined, headers);
  await using served = await serveText(source, { get: handler, head: handler });
  const [received] = await sendRaw(served.port, `${method} /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await until(() => served.outcomes.length === 1);
  return { reply: received, cause: served.outcomes[0]?.refusal?.cause };
}

const INTEGER = toHeaders('required: true, schema: { type: integer }');
const INT64 = toHeaders('schema: { type: integer, format: int64 }');

describe.each(['HEAD', 'GET'] as const)('the reply without content to %s, which is a 304 to GET', (method) => {
  test.each([
    [INTEGER, { 'Content-Length': 5 }],
    [INT64, { 'Content-Length': 5n }],
    [INT64.replace('Content-Length', 'content-length'), { 'content-length': 5n }],
  ])('has the Content-Length of its handler: %s', async (declared, headers) => {
    const { reply: received } = await reply(method, declared, headers);
    expect(received).toMatchObject({ headers: { 'content-length': '5' }, body: '' });
  });

  test('has no Content-Length where its handler gives none', async () => {
    const { reply: received } = await reply(method, INT64, {});
    expect(received?.status).toBeLessThan(400);
    expect(received?.headers).not.toHaveProperty('content-length');
  });

  test.each([
    ['a required one is missing', INTEGER, {}, "must have required property 'Content-Length'"],
    [
      'it is not what is declared',
      INTEGER,
      { 'Content-Length': '5' },
      'response/headers/Content-Length must be integer',
    ],
    ['it is negative', INTEGER, { 'Content-Length': -5 }, 'Content-Length must be a number of bytes'],
    ['it is not declared', 'headers: {}', { 'Content-Length': 5 }, 'response/headers is not declared by the contract'],
  ])('is a 500 if %s', async (_, declared, headers, message) => {
    const { cause } = await reply(method, declared, headers);
    expect(cause).toMatchObject({ message: expect.stringContaining(message) as string });
  });
});

test('the Content-Length of any other reply without content is 0, and no handler changes it', async () => {
  const source = `openapi: 3.1.0
info: { title: Other, version: 1.0.0 }
security: []
paths: { /a: { put: { operationId: a, responses: { '200': { description: It., ${INTEGER} } } } } }
`;
  const lengths = [{}, { 'Content-Length': 5 }];
  await using served = await serveText(source, { a: (_request, send) => send(200, undefined, lengths.shift()) });
  const put = (): Promise<Response> => fetch(new URL('/a', served.base), { method: 'PUT' });
  const [right, wrong] = [await put(), await put()];
  expect([right.status, right.headers.get('content-length'), wrong.status]).toEqual([200, '0', 500]);
});
