import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { negotiateBody } from '../../src/request/receive-body';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw, type RawReply } from '@contract-kit/test-support/send-raw';
import { behind, postThing, startThings, TOKEN, THINGS, startExisting } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';
import { keepRawBody } from '../../src/request/read-request';
import { serveEcho, type Seen } from '@contract-kit/test-support/serve-operation';
import { createBodyBudget, createBodyBuffer, toBudgetBytes, type CountedBody } from '../../src/request/body-budget';

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
  ['a surrogate in UTF-8', Buffer.from('7b226964223a312c226e616d65223a22eda080227d', 'hex'), 40007],
  ['a byte order mark', Buffer.from(`\ufeff${THING}`), 40008],
  ['not JSON', Buffer.from('{id:1}'), 40008],
  ['NaN', Buffer.from('{"id":NaN,"name":"a"}'), 40008],
])('400 for a body that is %s', async (_, body, error) => {
  await using app = await startThings();
  const reply = await postThing(app.server, body).expect(400);
  expect(reply.body).toMatchObject({ error });
  expect(app.rows()).toEqual([]);
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
    const watchBudget = jest.fn();
    await using app = await startThings({ ...limits, watchBudget });
    const sockets = openSockets(app.port, 3);
    const [reply, socket] = await sendParts(sockets, unfinished);
    expect(reply).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*Connection: close\r\n.*"error":50300/s);
    await once(socket.resume(), 'end');
    expect(watchBudget).toHaveBeenCalledWith('memory', { bytes: 980, limit: 1_000, dropped: 1 });
    expect(app.outcomes.map(({ status }) => status)).toEqual([503]);
    for (const each of sockets) each.destroy();
  });

  test('bodies that are whole, refused or broken off give their bytes back', async () => {
    const watchBudget = jest.fn();
    await using app = await startThings({ ...limits, watchBudget });
    for (let count = 0; count < 3; count++) {
      await postThing(app.server, THING.padEnd(600)).expect(200);
      await sendRaw(app.port, CHUNKED, toChunk(part), toChunk(part));
      await sendRaw(app.port, CHUNKED, toChunk(part), 'nonsense\r\n');
    }
    expect(watchBudget).toHaveBeenCalledWith('memory', { bytes: 0, limit: 1_000, dropped: 0 });
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

const NO_CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n0\r\n';
const FRAMINGS = [
  ['a Content-Length of 0', 'Content-Length: 0\r\n'],
  ['no chunks', NO_CHUNKS],
] as const;
const CONTENT = `application/octet-stream: {}, text/plain: {}, text/number: { schema: { type: integer } },
  application/x-www-form-urlencoded: {}, application/json: {}, multipart/form-data: {}`.replaceAll('\n', '');

interface Sent {
  readonly reply: RawReply | undefined;
  readonly seen: Seen | undefined;
}

async function sendEmpty(headers: string, isRequired: boolean): Promise<Sent> {
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
      const { reply, seen } = await sendEmpty(`Content-Type: ${type}\r\n${framing}`, isRequired);
      expect([reply?.status, seen]).toMatchObject([204, { body, contentType: type }]);
    }
  });

  test.each([
    'Content-Type: application/json\r\n',
    'Content-Type: multipart/form-data; boundary=x\r\n',
    '',
    'Content-Type: image/png\r\n',
  ])('is no body where nothing says that it could be one: %j', async (type) => {
    const optional = await sendEmpty(type + framing, false);
    expect(optional).toMatchObject({ reply: { status: 204 }, seen: { path: {} } });
    expect(optional.seen).not.toHaveProperty('body');
    const required = await sendEmpty(type + framing, true);
    expect(required).toEqual({ reply: expect.objectContaining({ status: 400 }) as unknown, seen: undefined });
    expect(required.reply?.body).toContain('40003');
  });

  test('is refused where its schema does not allow it', async () => {
    const { reply } = await sendEmpty(`Content-Type: text/number\r\n${framing}`, false);
    expect(reply?.body).toContain('request/body must be integer');
  });

  test.each<[string, express.RequestHandler]>([
    ['keeps the bytes', express.json({ verify: keepRawBody })],
    ['reads bytes', express.raw({ type: 'application/json' })],
  ])('is no body behind a parser that %s', async (_, parser) => {
    await using app = await startExisting(behind(parser));
    const [field, value] = framing === NO_CHUNKS ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', '0'];
    const { text } = await postThing(app.server, '').set(field, value);
    expect(text).toContain('40003');
  });
});

test('a body with a Content-Length of 0 is no body behind a parser that makes an object of it', async () => {
  await using app = await startExisting(behind(express.json()));
  expect((await postThing(app.server, '').set('Content-Length', '0')).text).toContain('40003');
});

test.each([
  ['', '\r\n2\r\n{}\r\n0\r\n'],
  ['Content-Type: image/png\r\n', '\r\n2\r\n{}\r\n0\r\n'],
  // It is not asked for.
  ['Expect: 100-continue\r\n', ''],
])('chunks of a type that is not declared are refused: %j', async (headers, chunks) => {
  const { reply, seen } = await sendEmpty(`${headers}Transfer-Encoding: chunked\r\n${chunks}`, false);
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

const KB = 1024;
const MB = 1024 ** 2;

/** A budget of 100 bytes whose clock the test holds, and the names of the bodies that it dropped. */
function startBudget(): { begin: (name: string) => CountedBody; wait: (time: number) => void; dropped: string[] } {
  const dropped: string[] = [];
  let time = 0;
  const watch = jest.fn();
  const budget = createBodyBudget(100, watch, () => time);
  return {
    dropped,
    begin: (name) =>
      budget.begin(() => {
        dropped.push(name);
        expect(watch).toHaveBeenCalledWith(expect.objectContaining({ dropped: dropped.length }));
      }),
    wait(milliseconds) {
      time += milliseconds;
    },
  };
}

test.each([
  [1, 0, 128 * MB],
  [64 * MB, 2 ** 64, 128 * MB],
  [100 * MB, 0, 200 * MB],
  [MB, 256 * MB, 32 * MB],
  [MB, 8 * MB, 2 * MB],
])('with bodies of at most %d bytes in a container of %d all together may take %d', (limit, memory, bytes) => {
  expect(toBudgetBytes(limit, memory)).toBe(bytes);
});

test('of bodies of one size the oldest is dropped, as often as it takes', () => {
  const { begin, wait, dropped } = startBudget();
  for (const name of ['a', 'b', 'c', 'd']) {
    begin(name).add(25);
    wait(1);
  }
  expect(dropped).toEqual([]);
  begin('e').add(1);
  expect(dropped).toEqual(['a']);
  begin('f').add(60);
  expect(dropped).toEqual(['a', 'b', 'c']);
});

test('the body with the fewest bytes a second is dropped, which may be the one that grows', () => {
  const { begin, wait, dropped } = startBudget();
  const slow = begin('slow');
  slow.add(30);
  wait(100);
  begin('fast').add(60);
  wait(10);
  slow.add(11);
  expect(dropped).toEqual(['slow']);
});

test('a younger body is dropped before an older one that is faster', () => {
  const { begin, wait, dropped } = startBudget();
  const fast = begin('fast');
  wait(10);
  begin('slow').add(30);
  wait(50);
  fast.add(71);
  expect(dropped).toEqual(['slow']);
});

test('bodies that trickle cannot keep out one that comes at once', () => {
  const { begin, wait, dropped } = startBudget();
  const trickles = Array.from({ length: 9 }, (_, index) => begin(`trickle ${String(index)}`));
  for (let bytes = 0; bytes < 11; bytes++) {
    for (const trickle of trickles) trickle.add(1);
    wait(1);
  }
  const good = begin('good');
  for (let part = 0; part < 5; part++) good.add(10);
  good.end();
  expect(dropped).not.toContain('good');
  expect(dropped).toHaveLength(5);
});

test('a body below half of the average is not dropped, for that would free little', () => {
  const { begin, wait, dropped } = startBudget();
  begin('small').add(4);
  wait(1_000);
  begin('large').add(90);
  wait(10);
  begin('new').add(20);
  expect(dropped).toEqual(['large']);
});

test('a body that ended no longer counts', () => {
  const { begin, dropped } = startBudget();
  for (let count = 0; count < 10; count++) {
    const body = begin('whole');
    body.add(90);
    body.end();
    body.end();
  }
  expect(dropped).toEqual([]);
});

test('a body that is larger than the budget is dropped itself', () => {
  let isDropped = false;
  const body = createBodyBudget(100).begin(() => (isDropped = true));
  body.add(100);
  expect(isDropped).toBe(false);
  body.add(1);
  expect(isDropped).toBe(true);
});

test('what still comes of a body that was dropped is not counted', () => {
  const { begin, dropped } = startBudget();
  const large = begin('large');
  large.add(101);
  large.add(50);
  begin('next').add(100);
  expect(dropped).toEqual(['large']);
});

test.each([
  ['nothing', []],
  ['one chunk', [40]],
  ['chunks of a byte', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [64 * KB, 64 * KB, 64 * KB, 10]],
  ['growing chunks', Array.from({ length: 20 }, (_, power) => 2 ** power)],
  ['chunks that share no block evenly', Array.from({ length: 500 }, (_, index) => (index * 7919) % 3000)],
])('%s are gathered as they came, in buffers of at most twice the size and 64 kB more', (_, sizes) => {
  let held = 0;
  const counted = { add: (bytes: number) => (held += bytes), keep: () => undefined, end: () => (held = 0) };
  const gathered = createBodyBuffer({ begin: () => counted }, () => undefined);
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index));
  let size = 0;
  const isWithinBounds = chunks.map((chunk) => {
    gathered.add(chunk);
    size += chunk.length;
    return held >= size && held <= Math.min(2 * size, size + 64 * KB);
  });
  expect(isWithinBounds).not.toContain(false);
  expect(gathered.toBuffer().equals(Buffer.concat(chunks))).toBe(true);
  expect(held).toBe(0);
});

test('the chunks that are gathered are not touched', () => {
  const gathered = createBodyBuffer(createBodyBudget(10), () => undefined);
  const chunks = [Buffer.from('abc'), Buffer.from('def')];
  for (const chunk of chunks) gathered.add(chunk);
  gathered.discard();
  expect(chunks.map(String)).toEqual(['abc', 'def']);
});
