import { once } from 'node:events';
import { connect } from 'node:net';
import express from 'express';
import { keepRawBody } from '../../src/request/read-request';
import { serveContract, type ServiceOptions } from '../../src/pipeline/serve-contract';
import { serveEcho, type Seen } from '../serve-operation';
import { postThing, startExisting } from '../start-things';
import { until } from '../../../../tests/support/until';
import { sendRaw, type RawReply } from '../../../../tests/support/send-raw';

const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n0\r\n';
const FRAMINGS = [
  ['a Content-Length of 0', 'Content-Length: 0\r\n'],
  ['no chunks', CHUNKED],
] as const;
const CONTENT =
  `application/octet-stream: { schema: { type: string, format: binary } }, text/plain: { schema: { type: string } },
  text/number: { schema: { type: integer } }, application/x-www-form-urlencoded: { schema: { type: object, properties: { a: {} } } },
  application/json: { schema: { type: object } }, multipart/form-data: { schema: { type: object } }`.replaceAll(
    '\n',
    '',
  );

interface Sent {
  readonly reply: RawReply | undefined;
  readonly seen: Seen | undefined;
}

async function send(headers: string, isRequired: boolean): Promise<Sent> {
  const body = `requestBody: { required: ${String(isRequired)}, content: { ${CONTENT} } }`;
  await using echo = await serveEcho('/echo', body);
  const [reply] = await sendRaw(echo.port, `POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`);
  return { reply, seen: echo.seen[0] };
}

describe.each(FRAMINGS)('an empty body with %s', (_name, framing) => {
  test.each([
    ['application/octet-stream', 'bytes:'],
    ['text/plain', ''],
    ['application/x-www-form-urlencoded', {}],
  ])('is a body of the type %s, whether it is required or not', async (type, body) => {
    for (const isRequired of [true, false]) {
      const { reply, seen } = await send(`Content-Type: ${type}\r\n${framing}`, isRequired);
      expect([reply?.status, seen]).toMatchObject([204, { body, contentType: type }]);
    }
  });

  test.each([
    'Content-Type: application/json\r\n',
    'Content-Type: multipart/form-data; boundary=x\r\n',
    '',
    'Content-Type: image/png\r\n',
  ])('is no body where nothing says that it could be one: %j', async (type) => {
    const optional = await send(type + framing, false);
    expect(optional).toMatchObject({ reply: { status: 204 }, seen: { path: {} } });
    expect(optional.seen).not.toHaveProperty('body');
    const required = await send(type + framing, true);
    expect(required).toEqual({ reply: expect.objectContaining({ status: 400 }) as unknown, seen: undefined });
    expect(required.reply?.body).toContain('40003');
  });

  test('is refused where its schema does not allow it', async () => {
    const { reply } = await send(`Content-Type: text/number\r\n${framing}`, false);
    expect(reply?.body).toContain('request/body must be integer');
  });

  test.each<[string, express.RequestHandler]>([
    ['keeps the bytes', express.json({ verify: keepRawBody })],
    ['reads bytes', express.raw({ type: 'application/json' })],
  ])('is no body behind a parser that %s', async (_, parser) => {
    const createApp = async (options: ServiceOptions) => express().use(parser, await serveContract(options));
    await using app = await startExisting(createApp);
    const [field, value] = framing === CHUNKED ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', '0'];
    const { text } = await postThing(app.server, '').set(field, value);
    expect(text).toContain('40003');
  });
});

test('a body with a Content-Length of 0 is no body behind a parser that makes an object of it', async () => {
  await using app = await startExisting(async (options) => express().use(express.json(), await serveContract(options)));
  expect((await postThing(app.server, '').set('Content-Length', '0')).text).toContain('40003');
});

test.each([
  ['', '\r\n2\r\n{}\r\n0\r\n'],
  ['Content-Type: image/png\r\n', '\r\n2\r\n{}\r\n0\r\n'],
  // It is not asked for.
  ['Expect: 100-continue\r\n', ''],
])('chunks of a type that is not declared are refused: %j', async (headers, chunks) => {
  const { reply, seen } = await send(`${headers}Transfer-Encoding: chunked\r\n${chunks}`, false);
  expect([reply?.status, seen]).toEqual([400, undefined]);
  expect(reply?.body).toContain('40005');
});

test('a client that leaves before it is known whether its body is empty gets no refusal', async () => {
  await using echo = await serveEcho('/echo', `requestBody: { content: { ${CONTENT} } }`);
  const client = connect(echo.port, '127.0.0.1');
  client.write('POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await once(echo.server, 'request');
  client.resetAndDestroy();
  await until(() => echo.outcomes.length === 1);
  expect(echo.outcomes).toMatchObject([{ status: 499, refusal: undefined }]);
});
