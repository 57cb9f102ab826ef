import request from 'supertest';
import type { Served } from '../../../../tests/support/serve-text';
import { serveEcho } from '../../../../tests/support/serve-echo';

const TEXT = 'text/plain: { schema: { type: string, minLength: 1 } }';
const BYTES = 'application/octet-stream: { schema: { type: string, format: binary } }';
const MERGE =
  'application/merge-patch+json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } }';
const FORM = `application/x-www-form-urlencoded: { schema: { type: object, required: [id], properties: {
  id: { type: integer, format: int64 }, tags: { type: array, items: { type: string } }, on: { type: boolean } } } }`;

function withBody(...media: string[]): string {
  return `requestBody: { content: { ${media.join(', ').replaceAll('\n', ' ')} } }`;
}

function post({ base }: Served, type: string, body: string | Buffer): Promise<Response> {
  return fetch(new URL('/echo', base), { method: 'POST', headers: { 'Content-Type': type }, body: Buffer.from(body) });
}

describe('a body of each media type that is declared', () => {
  test.each([
    ['text/plain', 'Grüße', 'Grüße'],
    ['text/plain; charset=utf-8', '1', '1'],
    ['application/merge-patch+json', '{"id":9007199254740993}', { id: '9007199254740993n' }],
    ['application/octet-stream', Buffer.from([0, 255, 128]), 'bytes:00ff80'],
    ['application/octet-stream', '', undefined],
    [
      'application/x-www-form-urlencoded',
      'id=9007199254740993&tags=a+b&tags=c%26&on=true',
      { id: '9007199254740993n', tags: ['a b', 'c&'], on: true },
    ],
    ['application/x-www-form-urlencoded', 'id=1&other=2', { id: '1n' }],
  ])('%s %j', async (type, sent, body) => {
    await using echo = await serveEcho('/echo', withBody(TEXT, BYTES, MERGE, FORM));
    const reply = await post(echo, type, sent);
    expect([reply.status, await reply.text()]).toEqual([204, '']);
    const contentType = body === undefined ? undefined : type.replace(/;.*/, '');
    const [seen] = echo.seen;
    expect([seen?.['body'], seen?.['contentType']]).toEqual([body, contentType]);
  });

  test.each([
    ['application/json', '{}', 40005, 'Content-Type'],
    ['text/html', 'a', 40005, 'Content-Type'],
    ['text/plain; charset=latin1', 'a', 40005, 'Content-Type'],
    ['text/plain', Buffer.from([255]), 40007, 'UTF-8'],
    ['application/merge-patch+json', '[]', 40009, 'request/body must be object'],
    [
      'application/merge-patch+json',
      '{"id":9223372036854775808}',
      40009,
      'request/body/id must be an integer in the range of int64',
    ],
    ['application/x-www-form-urlencoded', 'tags=a', 40009, "request/body must have required property 'id'"],
    ['application/x-www-form-urlencoded', 'id=1&id=2', 40009, 'request/body/id is there twice'],
    ['application/x-www-form-urlencoded', 'id=1&on=yes', 40009, 'request/body/on must be boolean'],
    ['application/x-www-form-urlencoded', 'id=%', 40010, 'a percent-encoding is malformed'],
  ])('400: %s %j', async (type, sent, error, message) => {
    await using echo = await serveEcho('/echo', withBody(TEXT, BYTES, MERGE, FORM));
    const reply = await post(echo, type, sent);
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error, message: expect.stringContaining(message) as string },
    ]);
    expect(echo.seen).toEqual([]);
  });

  test('one that is required and empty is text of no length, and no JSON', async () => {
    await using echo = await serveEcho(
      '/echo',
      withBody(TEXT, MERGE).replace('{ content', '{ required: true, content'),
    );
    const postNothing = (type: string) =>
      request(echo.server).post('/echo').set('Content-Type', type).set('Transfer-Encoding', 'chunked').send('');
    expect((await postNothing('text/plain')).body).toMatchObject({ error: 40009 });
    expect((await postNothing('application/merge-patch+json')).body).toMatchObject({ error: 40003 });
  });
});
