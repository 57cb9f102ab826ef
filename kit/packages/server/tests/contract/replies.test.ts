import { Readable } from 'node:stream';
import request from 'supertest';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { serveText } from '@contract-kit/test-support/serve-text';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { serveOperation, type ServedOperation } from '@contract-kit/test-support/serve-operation';

/** @param reply what is declared of the status 200, and of other statuses behind it */
function serveReply(reply: string, handler: UntypedHandler): Promise<ServedOperation> {
  return serveOperation({ version: '3.0.3', method: 'get', responses: `'200': ${reply}` }, handler);
}

/** A reply that is not as declared is a 500, and the log says why. */
async function expectRefusal(declared: string, handler: UntypedHandler, message: string): Promise<void> {
  await using served = await serveReply(declared, handler);
  const reply = await request(served.server).get('/a').expect(500);
  expect(reply.headers).not.toHaveProperty('location');
  expect(served.outcomes[0]?.refusal?.cause).toMatchObject({ message: expect.stringContaining(message) as string });
}

const INT64 = '{ type: integer, format: int64 }';

const HEADERS = `{ description: Fine., headers: {
  Location: { required: true, schema: { type: string, minLength: 2 } },
  X-Id: { schema: ${INT64} }, X-Ids: { schema: { type: array, items: ${INT64} } },
  X-Names: { schema: { type: array, items: { type: string } } },
  X-Points: { schema: { type: array, items: { type: object, properties: { x: ${INT64}, y: ${INT64} } } } },
  X-Words: { schema: { type: object, properties: { a: { type: string } } } },
  X-Color: { explode: true, schema: { type: object, additionalProperties: { type: integer } } },
  X-Flat: { schema: { type: object, properties: { a: { type: boolean } } } },
  X-Word: { content: { application/json: { schema: { type: string } } } },
  X-Text: { content: { text/plain: { schema: { type: string } } } },
  X-Json: { content: { application/json: { schema: { type: array, items: ${INT64} } } } } } }`;

describe('headers that are declared', () => {
  test('go out in their style, int64 digit for digit', async () => {
    const headers = {
      ...{ Location: '/b', 'X-Id': 9007199254740993n, 'X-Ids': [1n, 9007199254740993n] },
      ...{ 'X-Names': ['Rose', 'Ivy'], 'X-Points': [{ x: 1n }, { x: 2n, y: 3n }] },
      ...{ 'X-Color': { R: 1, G: 2 }, 'X-Flat': { a: true }, 'X-Json': [9007199254740993n], 'X-Text': 'a, b' },
      'X-Word': 'é日',
    };
    await using served = await serveReply(HEADERS, (_, reply) => reply(200, undefined, headers));
    const reply = await request(served.server).get('/a').expect(200, '');
    expect(reply.headers).toMatchObject({
      ...{ location: '/b', 'x-id': '9007199254740993', 'x-ids': '1,9007199254740993' },
      ...{ 'x-names': 'Rose,Ivy', 'x-points': '{"x":1},{"x":2,"y":3}' },
      ...{
        'x-color': 'R=1,G=2',
        'x-flat': 'a,true',
        'x-json': '[9007199254740993]',
        'x-text': 'a, b',
        'x-word': '"\\u00e9\\u65e5"',
        'content-length': '0',
      },
    });
    expect(reply.headers).not.toHaveProperty('content-type');
  });

  test('need not be there when they are not required', async () => {
    const headers = { Location: '/b', 'X-Id': undefined };
    await using served = await serveReply(HEADERS, (_, reply) => reply(200, undefined, headers));
    const reply = await request(served.server).get('/a').expect(200);
    expect(reply.headers).not.toHaveProperty('x-id');
  });

  test.each([
    [{}, "/response/headers must have required property 'Location'"],
    [{ Location: '' }, '/response/headers/Location must NOT have fewer than 2 characters'],
    [{ Location: 'ab\r\nX-Other: 1' }, 'Invalid character in header content ["Location"]'],
    [{ Location: '/b', 'X-Id': 5 }, 'response/headers/X-Id must be a bigint'],
    [{ Location: '/b', 'X-Id': 2n ** 63n }, 'response/headers/X-Id must be an integer from'],
    [{ Location: '/b', 'X-Other': 'a' }, 'response/headers/X-Other is not declared by the contract'],
    [{ Location: '/b', 'Content-Type': 'text/plain' }, 'the media type is not declared'],
    [{ Location: '/b', 'X-Names': ['a', 'b,c'] }, 'response/headers/X-Names/1 has a comma, which separates'],
    [{ Location: '/b', 'X-Words': { a: 'b,c' } }, 'response/headers/X-Words/a has a comma, which separates'],
    [{ Location: '/b', 'X-Color': { 'R,G': 1 } }, 'response/headers/X-Color/R,G has a comma, which separates'],
  ])('500 that says nothing: %j', async (headers, message) => {
    await expectRefusal(HEADERS, (_, reply) => reply(200, undefined, headers), message);
  });
});

test('each cookie of a list is a header of its own', async () => {
  const declared =
    '{ description: Fine., headers: { set-cookie: { schema: { type: array, items: { type: string } } } } }';
  const expires = 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT';
  const lists = [['a=1', expires], ['c=3'], [], ['d=4\r\nX: 1'], undefined];
  await using served = await serveReply(declared, (_, reply) => reply(200, undefined, { 'set-cookie': lists.shift() }));
  const cookies: unknown[] = [];
  while (lists.length > 0) {
    const { status, headers } = await request(served.server).get('/a');
    cookies.push([status, headers['set-cookie']]);
  }
  const none = [200, undefined];
  expect(cookies).toEqual([[200, ['a=1', expires]], [200, ['c=3']], none, [500, undefined], none]);
});

test('what the kit writes itself may be declared, and a handler need not know', async () => {
  const reply = `{ description: Fine., headers: {
    X-Request-ID: { required: true, schema: { type: string } }, Content-Length: { required: true, schema: { type: integer } } } }`;
  await using served = await serveReply(reply, (_, answer) => answer(200));
  const { headers } = await request(served.server).get('/a').expect(200);
  expect(headers).toMatchObject({ 'x-request-id': expect.any(String) as string, 'content-length': '0' });
});

describe('the parameters of a media type', () => {
  const stringOf = (type: string): string =>
    `{ description: Fine., content: { '${type}': { schema: { type: string } } } }`;

  test('are those of the Blob of a form, whose boundary a client has to know', async () => {
    await using served = await serveReply(stringOf('multipart/form-data'), async (_, reply) => {
      const form = new FormData();
      form.set('a', 'é');
      return reply(200, await new Response(form).blob());
    });
    const response = await fetch(new URL('/a', served.base));
    const [, boundary] =
      /^multipart\/form-data; ?boundary=(.+)$/.exec(String(response.headers.get('content-type'))) ?? [];
    await expect(response.text()).resolves.toMatch(`--${String(boundary)}--`);
  });

  test.each([
    ['multipart/mixed', Buffer.from('a'), 'multipart/mixed; boundary=aB'],
    ['text/plain', 'é', 'text/plain; charset=utf-8'],
    ['text/csv', Readable.from(['a']), 'text/csv; header=present'],
    ['application/json', 'a', 'application/json; profile="/x"'],
    ['image/*', Buffer.from('a'), 'image/svg+xml; charset=utf-8'],
  ])('of %s are those that the handler names', async (declared, body, type) => {
    await using served = await serveReply(stringOf(declared), (_, reply) => reply(200, body, { 'Content-Type': type }));
    const { status, headers } = await fetch(new URL('/a', served.base));
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  });

  test.each([
    ['application/pdf', 'text/html; a=b', 'application/pdf'],
    ['application/pdf', 'application/pdf; a=b', 'application/pdf; a=b'],
    ['multipart/mixed; boundary=a', 'multipart/mixed; boundary=b', 'multipart/mixed; boundary=a'],
  ])('of %s with a Blob of the type %s are sent as %s', async (declared, type, sent) => {
    await using served = await serveReply(stringOf(declared), (_, reply) => reply(200, new Blob(['a'], { type })));
    const { status, headers } = await fetch(new URL('/a', served.base));
    expect([status, headers.get('content-type')]).toEqual([200, sent]);
  });

  test.each([
    ['multipart/form-data', 'multipart/form-data needs a boundary'],
    ['multipart/*', 'multipart/* is a range of media types'],
  ])('500 where %s has no boundary', async (declared, message) => {
    await expectRefusal(stringOf(declared), (_, reply) => reply(200, new Blob(['a'])), message);
  });
});

const MEDIA = `{ description: Fine., content: {
  application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } },
  text/csv: { schema: { type: string, pattern: '^id' } },
  image/png: { schema: { type: string, format: binary } } } }`;

describe('a body of each media type that is declared', () => {
  test.each([
    [{ id: 9007199254740993n }, {}, 'application/json', '{"id":9007199254740993}'],
    [{ id: 1n }, { 'Content-Type': 'application/json' }, 'application/json', '{"id":1}'],
    ['id\r\n1\r\n', { 'Content-Type': 'text/csv' }, 'text/csv', 'id\r\n1\r\n'],
    [Buffer.from([0, 255]), { 'Content-Type': 'image/png' }, 'image/png', '\u0000\u00ff'],
  ])('%p %j', async (body, headers, type, sent) => {
    await using served = await serveReply(MEDIA, (_, reply) => reply(200, body, headers));
    const reply = await request(served.server).get('/a').buffer().parse(toLatin1).expect(200);
    expect([reply.headers['content-type'], reply.body]).toEqual([type, sent]);
  });

  test.each([
    ['a', { 'Content-Type': 'text/csv' }, '/response/body must match pattern'],
    [{}, { 'Content-Type': 'text/csv' }, '/response/body must be string'],
    ['a', { 'Content-Type': 'image/png' }, 'response/body must be a Blob, a Buffer'],
    [Buffer.from('id'), { 'Content-Type': 'text/csv' }, '/response/body must be string'],
    [Buffer.from('id'), {}, 'response/body/type is not declared by the contract'],
    [{ id: null }, {}, '/response/body/id must be integer'],
    [{ more: 1 }, {}, 'response/body/more is not declared by the contract'],
    [{}, { 'Content-Type': 'text/html' }, 'the media type is not declared'],
    [{}, { 'Content-Type': 5 }, 'the media type is not declared'],
    [undefined, {}, "/response must have required property 'body'"],
  ])('500 that says nothing: %p %j', async (body, headers, message) => {
    await expectRefusal(MEDIA, (_, reply) => reply(200, body, headers), message);
  });
});

function toLatin1(res: request.Response, done: (error: Error | null, body: string) => void): void {
  let text = '';
  const stream = res as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  stream.on('end', () => {
    done(null, text);
  });
}

test('a 304 says nothing of its length', async () => {
  const reply = `{ description: Fine. }, '304': { description: Not modified., headers: { ETag: { schema: { type: string } } } }`;
  await using served = await serveReply(reply, (_, answer) => answer(304, undefined, { ETag: '"a"' }));
  const { headers } = await request(served.server).get('/a').expect(304);
  expect(headers).toMatchObject({ etag: '"a"' });
  expect(headers).not.toHaveProperty('content-length');
});

const RANGES = `{ description: Fine., content: { application/json: { schema: { type: string } } } },
  '404': { description: Gone. },
  4XX: { description: Wrong., content: { application/json: { schema: { type: object, properties: { code: { type: integer } } } } } },
  default: { description: Else., headers: { X-Id: { schema: { type: integer } } }, content: { text/plain: { schema: { type: string } } } }`;

describe('a status is checked against its nearest declaration', () => {
  test.each([
    [404, undefined, {}, ''],
    [409, { code: 1 }, {}, '{"code":1}'],
    [201, 'new', { 'X-Id': 5 }, 'new'],
    [599, 'else', {}, 'else'],
  ])('%i', async (status, body, headers, sent) => {
    await using served = await serveReply(RANGES, (_, reply) => reply(status, body, headers));
    await request(served.server).get('/a').expect(status, sent);
  });

  test.each([
    [404, { code: 1 }, 'response/body is not declared by the contract'],
    [409, 'text', '/response/body must be object'],
    [502, { code: 1 }, '/response/body must be string'],
    [199, 'early', 'a does not declare the status 199'],
    [600, 'late', 'a does not declare the status 600'],
    [404.5, 'between', 'a does not declare the status 404.5'],
    ['404' as never, undefined, 'a does not declare the status 404'],
  ])('500 that says nothing: %p %j', async (status, body, message) => {
    await expectRefusal(RANGES, (_, reply) => reply(status, body), message);
  });

  test.each([
    [302, 500],
    [100, 500],
    [204, 204],
  ])('without a default, statuses outside of the ranges are not declared: %i', async (status, sent) => {
    const reply = `{ description: Fine. }, 2XX: { description: Fine, too. }, 100: { description: Go on. }`;
    await using served = await serveReply(reply, (_, answer) => answer(status));
    await request(served.server).get('/a').expect(sent);
  });
});

describe('a character beyond US-ASCII in a header', () => {
  const NAME = 'attachment; filename="é.txt"';
  const toReply = (content: string, more = ''): string =>
    `responses: { 200: { description: Fine., headers: { Content-Disposition: { schema: { type: string } } }${content && `, content: { ${content} }`} } }${more}`;
  const item = 'itemSchema: { type: object }';
  const source = `openapi: 3.2.0
info: { title: Names, version: 1.0.0 }
security: []
paths:
  /json: { get: { operationId: json, ${toReply('application/json: {}')} }, head: { operationId: head, ${toReply('')} } }
  /text: { get: { operationId: text, ${toReply('text/plain: { schema: { type: string } }')} } }
  /blob: { get: { operationId: blob, ${toReply('image/png: {}')} } }
  /none: { get: { operationId: none, ${toReply('').replace('200', '204')} } }
  /stream: { get: { operationId: stream, ${toReply('text/csv: {}')} } }
  /items: { get: { operationId: items, ${toReply(`application/jsonl: { ${item} }`)} } }
  /events: { get: { operationId: events, ${toReply(`text/event-stream: { ${item} }`)} } }
  /refused: { get: { operationId: refused, ${toReply('').replace('200', '404')} } }
`;
  const BODIES: Readonly<Record<string, unknown>> = {
    ...{ json: { a: 'é' }, text: 'é', blob: Buffer.from('é'), items: [{}], events: [{ data: 'é' }] },
    ...{ head: undefined, none: undefined, refused: undefined },
  };
  const STATUSES: Readonly<Record<string, number>> = { none: 204, refused: 404 };

  /** What the head of a reply has, as octets. */
  async function find(name: string, isOfMiddleware: boolean, target = `GET /${name}`): Promise<string | undefined> {
    const handler: UntypedHandler = (_, reply) => {
      const body = name === 'stream' ? Readable.from(['é']) : BODIES[name];
      return reply(STATUSES[name] ?? 200, body, isOfMiddleware ? {} : { 'Content-Disposition': NAME });
    };
    const afterCredentials: ServiceOptions['afterCredentials'] = [
      (_req, res, next) => {
        if (isOfMiddleware) res.setHeader('Content-Disposition', NAME);
        next();
      },
    ];
    const handlers = new Proxy({}, { get: () => handler });
    await using served = await serveText(source, handlers, {}, { afterCredentials });
    const [reply] = await sendRaw(served.port, `${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return reply?.headers['content-disposition'];
  }

  test.each([...Object.keys(BODIES).filter((name) => name !== 'head'), 'stream'])(
    'is one octet, whether the handler or middleware sets it, with the body of /%s',
    async (name) => {
      await expect(find(name, false)).resolves.toBe(NAME);
      await expect(find(name, true)).resolves.toBe(NAME);
    },
  );

  test('is one octet in a reply to HEAD', async () => {
    await expect(find('head', false, 'HEAD /json')).resolves.toBe(NAME);
    await expect(find('head', true, 'HEAD /json')).resolves.toBe(NAME);
  });

  test('beyond U+00FF is a 500 that names the header', async () => {
    const declared = '{ description: Fine., headers: { X-Name: { schema: { type: string } } } }';
    await expectRefusal(declared, (_, reply) => reply(200, undefined, { 'X-Name': '€' }), '["X-Name"]');
    const csv = '{ description: Fine., content: { text/csv: {} } }';
    const handler: UntypedHandler = (_, reply) => reply(200, '', { 'Content-Type': 'text/csv; a="€"' });
    await expectRefusal(csv, handler, '["Content-Type"]');
  });
});

describe('a reply with an unpaired surrogate is a 500, for it is not Unicode text', () => {
  const ANY = '{ description: Fine., content: { application/json: {} } }';
  const INT64S = `{ description: Fine., content: { application/json: { schema: { additionalProperties: ${INT64} } } } }`;
  const TEXT = '{ description: Fine., content: { text/plain: { schema: { type: string } } } }';

  test.each([
    ['in a text', ANY, { a: ['b\ud800'] }],
    ['in a key', ANY, { 'a\udfff': 1 }],
    ['in a key beside int64s', INT64S, { 'a\udfff': 1n }],
    ['behind a backslash', ANY, '\\\ud800'],
    ['in a text alone', TEXT, 'a\udc00\ud800'],
  ])('%s', async (_, declared, body) => {
    await expectRefusal(declared, (_request, reply) => reply(200, body), 'the reply has an unpaired surrogate');
  });

  test('in a header', async () => {
    const headers = '{ X-Json: { content: { application/json: { schema: { type: string } } } } }';
    const handler: UntypedHandler = (_, reply) => reply(200, undefined, { 'X-Json': '\ud800' });
    await expectRefusal(`{ description: Fine., headers: ${headers} }`, handler, '');
  });

  test('a pair is sent as it is, and so is the text of an escape', async () => {
    const body = { a: '\u{1f339}', b: '\\ud800', 'c\\ud83c\\udf39': '\ud83c\udf39' };
    await using served = await serveReply(ANY, (_, reply) => reply(200, body));
    await request(served.server).get('/a').expect(200, body);
  });
});
