import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { negotiateBody } from '../../src/request/receive-body';
import { loadText } from '../../../../tests/support/load-text';
import { sendRaw } from '../../../../tests/support/send-raw';
import { postThing, startThings, TOKEN, THINGS } from '../start-things';
import { until } from '../../../../tests/support/until';

const THING = '{"id":1,"name":"Rose"}';
const toChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const HEAD = `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

test.each([
  ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'],
  ...['application/json; x=1', 'application/json ; version=2', 'application/json; a="b c"; charset=utf-8'],
  ...['application/json;charset="utf\\-8"', 'application/json; charset="\\u\\t\\f-8"; x="\\""'],
  ...['application/json; charset=utf-8 ; x=1', 'application/json;', 'application/json;; charset=utf-8 ; ;x=1; '],
])('200 for the media type %s', async (type) => {
  await using app = await startThings();
  const reply = await postThing(app.server, THING, { 'Content-Type': type }).expect(200);
  expect(reply.headers['content-type']).toBe('application/json');
});

test.each([
  ...['text/plain', 'application/xml', 'application/problem+json', 'application/jsonx', 'application/*', 'json'],
  ...['application/json, text/plain', 'application/json; a=1, text/plain', 'multipart/form-data; boundary=x'],
  ...['application/json; charset=utf-8; charset=latin1', 'application/json; charset=', 'application/json; charset=""'],
  ...['application/json;charset', 'application/json;charset=utf-7', 'application/json;  charset=utf-7'],
  'application/json; charset=iso-8859-1',
])('400 for the media type %s', async (type) => {
  await using app = await startThings();
  const reply = await postThing(app.server, THING, { 'Content-Type': type }).expect(400);
  expect(reply.body).toMatchObject({ error: 40005 });
});

test.each([
  ['text/plain', 'text/plain'],
  ['Text/HTML; charset=utf-8; mine=1', 'text/html; charset=utf-8'],
  ['application/json; charset=utf-7', 'application/json; charset=utf-7'],
  ['application/json; charset="<a>"', 'application/json; charset=?a?'],
  ['application/*', 'application/*'],
  ['<script>', 'malformed'],
  [`text/${'x'.repeat(200)}`, `text/${'x'.repeat(95)}`],
])('the message tells the media type that came, %s, and those that are allowed', async (type, told) => {
  await using app = await startThings();
  const reply = await postThing(app.server, THING, { 'Content-Type': type }).expect(400);
  const message = `The Content-Type is ${told}; it must be application/json.`;
  expect(reply.body).toEqual({ error: 40005, message });
});

test('400 for a body without a media type', async () => {
  await using app = await startThings();
  const head = HEAD.replace('Content-Type: application/json', 'Connection: close\r\nContent-Length: 2');
  const [reply] = await sendRaw(app.port, `${head}\r\n{}`);
  expect(reply).toMatchObject({ status: 400, body: expect.stringContaining('The Content-Type is missing;') as string });
  expect(reply?.body).toContain('40005');
});

test('a media type reaches the validator in one spelling, whatever its parameters', () => {
  const [{ body } = {}] = loadText(THINGS).operations;
  if (!body) throw new Error('no body');
  const [media, ...others] = [...body.media.values()];
  expect(others).toEqual([]);
  for (const type of ['application/json', 'Application/JSON; x=12345']) {
    expect(negotiateBody({ headers: { 'content-type': type } }, body)).toBe(media);
  }
});

test.each(['gzip', 'br', 'identity, gzip'])('400 for the content coding %s', async (coding) => {
  await using app = await startThings();
  const reply = await postThing(app.server, gzipSync(THING), { 'Content-Encoding': coding }).expect(400);
  expect(reply.body).toMatchObject({ error: 40006 });
});

test('200 for the content coding identity', async () => {
  await using app = await startThings();
  await postThing(app.server, THING, { 'Content-Encoding': 'Identity' }).expect(200);
});

test.each([
  ['not UTF-8', Buffer.from('{"id":1,"name":"\xe9"}', 'latin1'), 40007],
  ['a surrogate in UTF-8', Buffer.from('7b226964223a312c226e616d65223a22eda080227d', 'hex'), 40007],
  ['UTF-16', Buffer.from(THING, 'utf16le'), 40008],
  ['a byte order mark', Buffer.from(`\ufeff${THING}`), 40008],
  ['not JSON', Buffer.from('{id:1}'), 40008],
  ['cut off', Buffer.from('{"id":1,'), 40008],
  ['a form', Buffer.from('id=1&name=Rose'), 40008],
  ['NaN', Buffer.from('{"id":NaN,"name":"a"}'), 40008],
  ['two values', Buffer.from(`${THING}${THING}`), 40008],
  ['white space alone', Buffer.from('  '), 40008],
])('400 for a body that is %s', async (_, body, error) => {
  await using app = await startThings();
  const reply = await postThing(app.server, body).expect(400);
  expect(reply.body).toMatchObject({ error });
  expect(app.rows()).toEqual([]);
});

test.each(['', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n'])('400 for no body: %j', async (framing) => {
  await using app = await startThings();
  const chunk = framing.startsWith('T') ? '0\r\n\r\n' : '';
  const [reply] = await sendRaw(app.port, `${HEAD}Connection: close\r\n${framing}\r\n${chunk}`);
  expect(reply).toMatchObject({ status: 400, body: expect.stringContaining('40003') as string });
});

describe('the limit of a body', () => {
  const limit = 64;
  const fits = `{"id":1,"name":"${'x'.repeat(limit - 18)}"}`;

  test('200 at the limit, 400 for a byte more', async () => {
    await using app = await startThings({ bodyLimit: limit });
    expect(Buffer.byteLength(fits)).toBe(limit);
    await postThing(app.server, fits).expect(200);
    const reply = await postThing(app.server, `${fits} `).expect(400);
    expect(reply.body).toMatchObject({ error: 40004 });
  });

  test.each([1, 7, 63, 64])('200 for a body in chunks of %d bytes', async (size) => {
    await using app = await startThings({ bodyLimit: limit });
    const chunks = (fits.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? []).map(toChunk);
    const head = CHUNKED.replace('\r\n', '\r\nConnection: close\r\n');
    const [reply] = await sendRaw(app.port, head, ...chunks, toChunk(''));
    expect(reply).toMatchObject({ status: 200 });
    expect(app.rows()).toHaveLength(1);
  });

  test.each([
    ['chunks beyond the limit', [CHUNKED, toChunk(fits), toChunk('xx'), toChunk('x')]],
    ['a length beyond the limit, before a byte of it came', [`${HEAD}Content-Length: 100000000000\r\n\r\n`]],
    [
      'a body of a client that is still sending, and gets to read why',
      [`${HEAD}Content-Length: ${String(4 * 1024 ** 2)}\r\n\r\n`, 'x'.repeat(4 * 1024 ** 2)],
    ],
  ])('400 at once for %s, and the connection ends', async (_, parts) => {
    await using app = await startThings({ bodyLimit: limit });
    const [reply] = await sendRaw(app.port, ...parts);
    expect(reply).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(reply?.body).toContain('40004');
  });
});

describe('the budget of all bodies that are not whole yet', () => {
  const part = ' '.repeat(490);
  const unfinished = `${HEAD}Content-Length: 900\r\n\r\n${part}`;
  const limits = { bodyLimit: 900, bodyBudget: 1_000 };

  /** Sends a part of a body on each, and waits for the first one that is answered. */
  function sendParts(sockets: readonly Socket[], text: string): Promise<[reply: string, socket: Socket]> {
    const replies = sockets.map(async (socket): Promise<[string, Socket]> => {
      const [data] = (await once(socket, 'data')) as [Buffer];
      return [String(data), socket];
    });
    for (const socket of sockets) socket.write(text);
    return Promise.race(replies);
  }

  function openSockets(port: number, count: number): Socket[] {
    return Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  }

  test('503 for one body beyond it, whose connection ends', async () => {
    const observeDroppedBody = jest.fn();
    await using app = await startThings({ ...limits, observeDroppedBody });
    const sockets = openSockets(app.port, 3);
    const [reply, socket] = await sendParts(sockets, unfinished);
    expect(reply).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*Connection: close\r\n.*"error":50300/s);
    await once(socket.resume(), 'end');
    expect(observeDroppedBody).toHaveBeenCalledTimes(1);
    expect(app.outcomes.map(({ status }) => status)).toEqual([503]);
    for (const each of sockets) each.destroy();
  });

  test('bodies that are whole, refused or broken off give their bytes back', async () => {
    const observeDroppedBody = jest.fn();
    await using app = await startThings({ ...limits, observeDroppedBody });
    for (let count = 0; count < 3; count++) {
      await postThing(app.server, THING.padEnd(600)).expect(200);
      await sendRaw(app.port, CHUNKED, toChunk(part), toChunk(part));
      await sendRaw(app.port, CHUNKED, toChunk(part), 'nonsense\r\n');
    }
    expect(observeDroppedBody).not.toHaveBeenCalled();
  });
});

test('a client that goes away while it sends leaves nothing behind', async () => {
  await using app = await startThings();
  const came = once(app.server, 'request') as Promise<[IncomingMessage]>;
  const socket = connect(app.port, '127.0.0.1');
  socket.write(`${HEAD}Content-Length: 100\r\n\r\n{"id":1,`);
  const [req] = await came;
  await until(() => req.socket.bytesRead === socket.bytesWritten);
  socket.resetAndDestroy();
  await until(() => app.outcomes.length > 0);
  expect(app.outcomes[0]).toMatchObject({ status: 499, refusal: undefined, isAborted: true });
  expect(app.rows()).toEqual([]);
});
