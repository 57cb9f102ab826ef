import { readFileSync } from 'node:fs';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';
import type { UntypedHandler, UntypedRequest } from '../../src/pipeline/pipeline';

const MEDIA = readFileSync('packages/test-support/fixtures/media.yaml', 'utf8');
const NEVER: UntypedHandler = () => Promise.reject(new Error('not asked for'));

async function serve(
  handlers: Record<string, UntypedHandler>,
): Promise<Served & { readonly send: (path: string, init?: RequestInit) => Promise<Response> }> {
  const all = { sendBody: NEVER, sendAnything: NEVER, getBytes: NEVER, headBytes: NEVER, ...handlers };
  const served = await serveText(MEDIA, all);
  return { ...served, send: (path, init) => fetch(new URL(path, served.base), init) };
}

function post(type: string, body: string | Buffer): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': type }, body: Buffer.from(body) };
}

describe('a request body of', () => {
  async function sendBody(type: string, body: string | Buffer): Promise<[number, UntypedRequest | undefined]> {
    let seen: UntypedRequest | undefined;
    await using served = await serve({ sendBody: (received, reply) => ((seen = received), reply(204)) });
    const { status } = await served.send('/bodies', post(type, body));
    return [status, seen];
  }
  const BOMB = `<!DOCTYPE a [<!ENTITY a "a"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>`;

  test.each([
    ['application/xml', '<note id="ü"/>', '<note id="ü"/>', undefined],
    ['application/xml', BOMB, BOMB, undefined],
    ['text/csv', 'a,b', 'a,b', undefined],
    ['text/csv; header=present', 'a,b', 'a,b', 'text/csv'],
    ['text/number', '9007199254740993', 9007199254740993n, undefined],
    ['text/switch', 'true', true, undefined],
    ['application/pdf', Buffer.from([255, 0, 1, 2]), Buffer.from([255, 0, 1, 2]), undefined],
    ['application/pdf; charset=latin1', 'a', Buffer.from('a'), 'application/pdf'],
    ['application/zip', 'a', Buffer.from('a'), undefined],
    ['image/png', 'a', Buffer.from('a'), undefined],
    ['IMAGE/PNG; q=1', 'a', Buffer.from('a'), 'image/png'],
    ['image/svg+xml', '<svg/>', '<svg/>', undefined],
    ['application/vnd.note+json; version=1', '{"id":1}', { id: 1n }, undefined],
    ['application/vnd.note+json;x=y;Version="1"', '{"id":1}', { id: 1n }, 'application/vnd.note+json; version=1'],
    ['application/vnd.note+json; version=2', '[1]', [1], undefined],
    ['application/problem+json', '{"id":1}', { id: 1n }, 'Application/Problem+JSON; charset=utf-8'],
    ['text/html; charset=ISO-8859-1', Buffer.from([0xfc]), Buffer.from([0xfc]), 'text/html; charset=iso-8859-1'],
  ])('%s is given to the handler', async (type, body, given, contentType) => {
    const [status, seen] = await sendBody(type, body);
    const value = seen?.body instanceof Blob ? Buffer.from(await seen.body.bytes()) : seen?.body;
    expect([status, value, seen?.contentType]).toEqual([204, given, contentType ?? type]);
  });

  test.each(['application/zip', 'image/png; a="B"', 'application/pdf; boundary=aB'])(
    '%s is a Blob of this type, with its parameters',
    async (type) => {
      const [, seen] = await sendBody(
        type.replace(/^[^;]+/, (name) => name.toUpperCase()),
        'a',
      );
      const { body } = seen as { readonly body?: unknown };
      expect(body).toBeInstanceOf(Blob);
      expect((body as Blob).type).toBe(type);
    },
  );

  test.each([
    ['application/xml', Buffer.from([255])],
    ['application/xml; charset=latin1', 'a'],
    ['text/number', '0'],
    ['text/number', ' 5'],
    ['text/number', '0x10'],
    ['text/number', '9223372036854775808'],
    ['text/switch', 'yes'],
    ['image/*', 'a'],
    ['*/*', 'a'],
    ['images/png', 'a'],
    ['text/cst', 'a'],
    ['application/vnd.note+json', '{"id":1}'],
    ['application/vnd.note+json; version=3', '{"id":1}'],
    ['application/vnd.note+json; version=1', '{"id":"1"}'],
    ['text/html', 'a'],
  ])('%s, %j is refused', async (type, body) => {
    expect(await sendBody(type, body)).toEqual([400, undefined]);
  });
});

describe('a range of all media types, with a schema of JSON', () => {
  test('is JSON', async () => {
    await using served = await serve({ sendAnything: ({ body }, reply) => reply(200, body) });
    const big = '{"id":9007199254740993}';
    const reply = await served.send('/anything', post('application/json', big));
    expect([reply.headers.get('content-type'), await reply.text()]).toEqual(['application/json', big]);
    expect((await served.send('/anything', post('application/hal+json', '{"id":1}'))).status).toBe(200);
    expect((await served.send('/anything', post('application/xml', '<a/>'))).status).toBe(400);
    expect((await served.send('/anything', post('application/json', '{}'))).status).toBe(400);
  });

  test('is of the JSON that the handler names', async () => {
    const headers = { 'Content-Type': 'application/hal+json' };
    await using served = await serve({ sendAnything: ({ body }, reply) => reply(200, body, headers) });
    const reply = await served.send('/anything', post('application/json', '{"id":1}'));
    expect(reply.headers.get('content-type')).toBe('application/hal+json');
  });
});

describe('a reply of', () => {
  async function getBytes(body: unknown, type?: string): Promise<[number, string | null, string]> {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    await using served = await serve({ getBytes: (_, reply) => reply(200, body, headers) });
    const reply = await served.send('/bytes?how=a');
    return [reply.status, reply.headers.get('content-type'), await reply.text()];
  }

  test.each([
    [Buffer.from('a'), 'application/octet-stream', 'a'],
    [Buffer.from('a'), 'image/png', 'a'],
    [new Blob(['a'], { type: 'text/css' }), 'image/png', 'a'],
    ['ab', 'text/plain', 'ab'],
    [9007199254740993n, 'text/number', '9007199254740993'],
    ['<a/>', 'application/xml', '<a/>'],
    ['data: a\n\n', 'text/event-stream', 'data: a\n\n'],
    [{ id: 1n }, 'application/json; charset=utf-8', '{"id":1}'],
    [{ a: [null, 1] }, 'application/vnd.any+json', '{"a":[null,1]}'],
  ])('%j as %s is sent', async (body, type, text) => {
    await expect(getBytes(body, type)).resolves.toEqual([200, type, text]);
  });

  test.each([
    ['a', 'application/octet-stream'],
    [Buffer.from('a'), 'image/*'],
    [Buffer.from('a'), 'image/png; a="\r\nX-Other: 1"'],
    [Buffer.from('a'), 'video/mp4'],
    ['a', 'text/plain'],
    ['1', 'text/number'],
    [1, 'text/number'],
    [null, 'application/xml'],
    [{ id: 1n }, 'application/xml'],
    [undefined, 'application/xml'],
    [{ id: '1' }, 'application/json; charset=utf-8'],
  ])('%j as %j is a 500', async (body, type) => {
    const [status, , text] = await getBytes(body, type);
    expect([status, JSON.parse(text)]).toMatchObject([500, { error: 50000 }]);
  });
});
