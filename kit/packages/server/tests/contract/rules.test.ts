import { Readable } from 'node:stream';
import request from 'supertest';
import type { Finding } from '../../src/http/findings';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { openClient } from '@contract-kit/test-support/send-raw';
import { postJson, serveOperation, statusesOf, type OperationParts } from '@contract-kit/test-support/serve-operation';

const PLANT = `{ type: object, required: [name], properties:
  { name: { type: string }, secret: { type: string, writeOnly: true }, tags: { type: array, items: { type: object, properties: { id: { type: integer, format: int64 } } } } } }`;
const parts: OperationParts = {
  responses: `'200': { description: Done., headers: { X-Count: { schema: { type: integer } } },
    content: { application/json: { schema: ${PLANT} }, text/plain: { schema: { type: string, maxLength: 3 } }, image/*: { schema: { format: binary } } } },
    '206': { description: Part., content: { image/*: { schema: { format: binary } } } }`,
};
const log = createLog('silent');
const LEAKY = { name: 'Rose', secret: 's', more: 1, tags: [{ id: 1n, hidden: true }] };

const replyWith =
  (...reply: Parameters<Parameters<UntypedHandler>[1]>): UntypedHandler =>
  (_request, send) =>
    send(...reply);

const serve = (handler: UntypedHandler, options: Partial<ServiceOptions>, more: OperationParts = {}) =>
  serveOperation({ ...parts, ...more }, handler, {}, { log, ...options });

describe('a reply that is not as declared', () => {
  test('is refused unless the service says otherwise', async () => {
    await using app = await serve(replyWith(200, LEAKY), {});
    await postJson(app, '').expect(500);
  });

  test.each<[string, Partial<ServiceOptions>]>([
    ['of the service', { mode: 'strip' }],
    ['of the operation', { mode: 'watch', operationRules: { a: { mode: 'strip' } } }],
  ])('has only what is declared in the mode "strip" %s', async (_, options) => {
    await using app = await serve(replyWith(200, LEAKY, { 'X-More': 1 }), options);
    const { headers } = await postJson(app, '').expect(200, { name: 'Rose', tags: [{ id: 1 }] });
    expect(headers).not.toHaveProperty('x-more');
    await using wrong = await serve(replyWith(200, { name: 1 }), options);
    await postJson(wrong, '').expect(500);
  });

  test('is sent as it is in the mode "report", which tells what is wrong with it', async () => {
    const [findings, lines]: [Finding[], string[]] = [[], []];
    const options: Partial<ServiceOptions> = {
      mode: 'report',
      observeFinding: (finding) => findings.push(finding),
      log: createLog('info', { write: (line) => lines.push(line) }),
    };
    await using app = await serve(replyWith(200, LEAKY), options);
    await postJson(app, '').expect(200, '{"name":"Rose","secret":"s","more":1,"tags":[{"id":1,"hidden":true}]}');
    expect(findings).toMatchObject([
      { operation: 'a', message: 'reply', status: 200, rule: 'writeOnly', place: '/body/secret' },
    ]);
    expect(lines.join('')).toContain('"rule":"writeOnly","place":"/body/secret"');
    await using sound = await serve(replyWith(200, { name: 'Rose' }), options);
    await postJson(sound, '').expect(200, { name: 'Rose' });
    expect(findings).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof replyWith>, number, string, string]>([
    ['an undeclared status', [201, { id: 1n }], 201, 'application/json', '{"id":1}'],
    ['no number in JSON', [200, { name: NaN }], 200, 'application/json', '{"name":null}'],
    ['a text that is too long', [200, 'long', { 'Content-Type': 'text/plain' }], 200, 'text/plain', 'long'],
    ['a malformed media type', [200, 'a', { 'Content-Type': 'x' }], 200, 'x', 'a'],
    ['an undeclared media type', [200, Buffer.from('a'), { 'Content-Type': 'text/csv' }], 200, 'text/csv', 'a'],
    ['bytes of no media type', [206, Buffer.from('{}')], 206, 'application/json', '{}'],
    [
      'a stream',
      [200, Readable.from(['a,b']), { 'Content-Type': 'text/csv', 'Content-Length': 3 }],
      200,
      'text/csv',
      'a,b',
    ],
    ['a stream of no length', [201, Readable.from(['1'])], 201, 'application/json', '1'],
  ])('in the mode "report", %s is sent as Express would send it', async (_, replied, ...expected) => {
    await using app = await serve(replyWith(...replied), { mode: 'report' });
    const reply = await fetch(new URL('/a', app.base), { method: 'POST' });
    const sent = [reply.status, reply.headers.get('content-type'), await reply.text()];
    expect(sent).toEqual(expected);
  });

  test('in the mode "report", headers and a reply without a body are sent, too', async () => {
    const headers = { 'X-Count': 'x', 'Set-Cookie': ['a=1', 'b=2'], 'X-None': undefined };
    await using app = await serve(replyWith(201, undefined, headers), { mode: 'report' });
    const reply = await postJson(app, '').expect(201);
    expect(reply.headers).toMatchObject({ 'x-count': 'x', 'set-cookie': ['a=1', 'b=2'] });
  });

  test.each<[number, string, () => unknown, Record<string, unknown>?]>([
    [204, 'a stream', () => Readable.from([])],
    [204, 'a stream with a Content-Length', () => Readable.from(['{}']), { 'Content-Length': 2 }],
    [204, 'an event stream', () => Readable.from([]), { 'Content-Type': 'text/event-stream' }],
    [205, 'a Blob', () => new Blob(['{}'])],
    [304, 'a stream', () => Readable.from([])],
  ])(
    'in the mode "report", a %d has no content, though its handler gives %s',
    async (status, _, makeBody, headers = {}) => {
      const bodies: unknown[] = [];
      const handler: UntypedHandler = (_request, reply) => reply(status, bodies[bodies.push(makeBody()) - 1], headers);
      await using app = await serve(handler, { mode: 'report' });
      const client = openClient(app.port);
      client.socket.write('POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await client.closed;
      const framing = client.received.split('\r\n').filter((line) => /^(?:content|transfer)-/i.test(line));
      expect(framing).toEqual(status === 205 ? ['Content-Length: 0'] : []);
      expect(client.received).toMatch(/\r\n\r\n$/);
      expect(bodies).not.toContainEqual(expect.objectContaining({ destroyed: false }));
    },
  );

  test.each(['enforce', 'strip', 'report'] as const)(
    'in the mode "%s", names of headers have no case',
    async (mode) => {
      const findings: Finding[] = [];
      const options = { mode, observeFinding: (finding: Finding) => findings.push(finding) };
      const headers = { 'content-type': 'text/plain', 'x-count': 1 };
      await using app = await serve(replyWith(200, 'abc', headers), options);
      const reply = await postJson(app, '').expect(200, 'abc').expect('X-Count', '1');
      expect([reply.headers['content-type'], findings]).toEqual(['text/plain', []]);
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ['Transfer-Encoding', { 'transfer-encoding': 'chunked' }],
    ['Transfer-Encoding of an unknown coding', { 'Transfer-Encoding': 'gzip' }],
    ['Content-Length', { 'content-length': '3' }],
    ['Content-Length in capitals', { 'CONTENT-LENGTH': '3' }],
    ['Trailer', { trailer: 'x' }],
    ['Connection and what it names', { connection: 'keep-alive, X-Hop', 'x-hop': '1', 'Keep-Alive': 'timeout=5' }],
    ['the other fields of a connection', { TE: 'trailers', upgrade: 'h2c', 'Proxy-Connection': 'close' }],
    ['Content-Type twice', { 'content-type': 'application/json', 'CONTENT-TYPE': 'application/json' }],
    ['the id of another request', { 'x-request-id': 'another-id' }],
  ])('is framed by the kit though its handler copies %s from another reply', async (_, headers) => {
    const toText = (): Readable => Readable.from(['{"name":"Rose"}']);
    const toObject = (): object => ({ name: 'Rose' });
    const cases = [
      ['report', toObject],
      ['report', toText],
      ['strip', toObject],
    ] as const;
    for (const [mode, makeBody] of cases) {
      const handler: UntypedHandler = (_request, reply) => reply(200, makeBody(), { ...headers, 'X-Upstream': 'a' });
      await using app = await serve(handler, { mode });
      const client = openClient(app.port);
      client.socket.write('POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await client.closed;
      const [head = '', content = ''] = client.received.split('\r\n\r\n', 2);
      const names = head
        .split('\r\n')
        .slice(1)
        .map((line) => line.replace(/:.*/, '').toLowerCase());
      const framing = content.startsWith('f\r\n') ? 'transfer-encoding' : 'content-length';
      const own = [
        'connection',
        framing,
        'content-type',
        'date',
        'x-content-type-options',
        'x-powered-by',
        'x-request-id',
      ].sort();
      expect(names.sort()).toEqual(mode === 'report' ? [...own, 'x-upstream'] : own);
      expect(`${head}\r\n`).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Content-Type: application\/json\r\n/);
      expect(`${head}\r\n`).toMatch(/(?:Content-Length: 15|Transfer-Encoding: chunked)\r\n/);
      expect(head).toContain('Connection: close');
      expect(content).toContain('{"name":"Rose"}');
    }
  });

  test.each<[string, Parameters<typeof replyWith>]>([
    ['a status that HTTP does not have', [99]],
    ['a header that breaks the head', [200, { name: 1 }, { 'X-Count': 'a\r\nb: c' }]],
    [
      'a value that refers to itself',
      [
        200,
        Object.assign([], {
          0: Object.create(null) as object,
          toJSON: () => {
            throw new Error('no');
          },
        }),
      ],
    ],
  ])('%s is refused in the mode "report", too', async (_, reply) => {
    await using app = await serve(replyWith(...reply), { mode: 'report' });
    await postJson(app, '').expect(500);
  });
});

describe('a query parameter that is not declared', () => {
  test.each<[string, Partial<ServiceOptions>, number]>([
    ['refused', {}, 400],
    ['ignored where the service says so', { undeclaredQuery: 'ignore' }, 204],
    ['ignored where the operation says so', { operationRules: { a: { undeclaredQuery: 'ignore' } } }, 204],
  ])('is %s', async (_, options, status) => {
    await using app = await serveOperation({}, undefined, {}, options);
    await request(app.server).post('/a?more=1').expect(status);
  });
});

describe("a team's own format", () => {
  const body = '{ type: string, format: iban }';

  test('is judged by the function of the team', async () => {
    const formats = { iban: (text: string) => text.startsWith('DE') };
    await using app = await serveOperation({ body }, undefined, {}, { formats });
    expect(await statusesOf(app, ['"DE1"', '"X"', '1'])).toEqual([204, 400, 400]);
  });

  test('that throws undefined accepts nothing', async () => {
    const iban = (): boolean =>
      (function* (): Generator<boolean, boolean> {
        yield true;
        return true;
      })().throw(undefined).value;
    await using app = await serveOperation({ body }, undefined, {}, { formats: { iban } });
    expect(await statusesOf(app, ['"DE1"'])).toEqual([500]);
  });

  test.each([
    ['of true', () => Promise.resolve(true)],
    ['that is rejected', () => Promise.reject(new Error('a bug of the team'))],
  ])('that returns a promise %s accepts nothing', async (_, iban) => {
    const formats = { iban: iban as unknown as () => boolean };
    await using app = await serveOperation({ body }, undefined, {}, { formats });
    expect(await statusesOf(app, ['"DE1"'])).toEqual([400]);
  });

  test('replaces the format of the kit, but not that of a number', async () => {
    const formats = { email: () => true, int64: () => true };
    const schema =
      '{ type: object, properties: { a: { type: string, format: email }, b: { type: integer, format: int64 } } }';
    await using app = await serveOperation({ body: schema }, undefined, {}, { formats });
    expect(await statusesOf(app, [{ a: 'x' }, '{"b":9223372036854775808}'])).toEqual([204, 400]);
  });
});

test('rules for an operation that the contract does not have are refused at the start', async () => {
  await expect(serveOperation({}, undefined, {}, { operationRules: { b: {} } })).rejects.toThrow(
    'operationRules names b',
  );
});
