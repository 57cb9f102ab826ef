import type { Socket } from 'node:net';
import { createContractServer } from '../../src/http/server';
import { IMPATIENT } from '../../src/runtime/situations';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { renderFixture } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { openClient, sendRaw, type RawReply } from '../../../../tests/support/send-raw';
import { serveText } from '../../../../tests/support/serve-text';
import { until } from '../../../../tests/support/until';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
const MALFORMED = 'HEAD / HTTP/1.1\r\nX-A : 1\r\n\r\n';

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
  ['has a malformed header', [MALFORMED]],
  ['begins with an empty line', [`\r\n${MALFORMED}`]],
  ['arrives in two packets', [MALFORMED.slice(0, 20), MALFORMED.slice(20)]],
  ['has headers that are too large', [`HEAD / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
  ['does not end', ['HEAD / HTTP/1.1\r\n']],
  ['does not end in the name of a header', ['HEAD / HTTP/1.1\r\nX-']],
  ['does not end in the value of a header', [GET, 'HEAD / HTTP/1.1\r\nX-A: 1']],
  ['does not end in its request line', ['HEAD / HT']],
  ['comes after another request in a packet of its own', [GET, MALFORMED]],
  ['comes after another request in one packet', [GET + MALFORMED]],
  ['comes right after the body of another request', [POST + MALFORMED]],
])('a reply to HEAD has no content where node:http creates no request for a message that %s', async (_, parts) => {
  const received = await receive(...parts);
  const refusal = received.slice(received.lastIndexOf('HTTP/1.1 '));
  expect(refusal).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nConnection: close\r\n\r\n$/);
  expect(refusal).not.toContain('Content-Length');
});

test.each([
  ['is the first one', [MALFORMED.replace('HEAD', 'GET')]],
  ['comes after another one in a packet of its own', [GET, MALFORMED.replace('HEAD', 'GET')]],
  ['comes after another one in one packet', [GET + MALFORMED.replace('HEAD', 'GET')]],
])('the refusal of a malformed request that is certainly not HEAD has content if it %s', async (_, parts) => {
  await expect(receive(...parts)).resolves.toContain('"error":40000');
});

test.each(['GET / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nX-', 'POST / HTTP/1.1\r\nX-A: 1'])(
  'the refusal of a request that does not end, and is certainly not HEAD, has content: %j',
  async (head) => {
    await expect(receive(head)).resolves.toContain('"error":40002');
    await expect(receive(GET, head)).resolves.toContain('"error":40002');
  },
);

const toHeaders = (length: string): string => `headers: { Content-Length: { ${length} } }`;

/** A reply to HEAD or, conditionally, to GET, of an operation whose reply without content declares this. */
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
    [
      'it is not declared',
      'headers: {}',
      { 'Content-Length': 5 },
      'only a stream, or a reply to HEAD that declares it',
    ],
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
