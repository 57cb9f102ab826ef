import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { createSuite } from '../src';
import { findUnbuilt, probeServer } from '../src/runner/probe-server';
import { contractOf } from './contract-of';
import { BOOKS, serveReplies } from './serve-books';

const suite = createSuite(BOOKS, { marker: 'probed' });
const ANYTHING = (): boolean => true;

function probe(base: URL, isWanted = ANYTHING): Promise<string | undefined> {
  const target = { base, secrets: { token: 'right' }, timeout: 60_000, retries: 1 };
  return probeServer(suite, target, new Map([['token', 'BOOKS_TOKEN']]), isWanted);
}

/** What is said of a server that answers with a status, or with what a function makes of a request. */
async function probeReplies(listener: RequestListener, path = ''): Promise<string | undefined> {
  await using server = await serveReplies(listener);
  return await probe(new URL(path, server.base));
}

/** By the method and the path, a status; 404 for the others. */
function byPath(statuses: Readonly<Record<string, number>>): RequestListener {
  return ({ method, url }, res) =>
    res.writeHead(statuses[`${String(method)} ${String(url)}`] ?? 404, { 'content-type': 'text/plain' }).end('no');
}

const always =
  (status: number): RequestListener =>
  (_req, res) =>
    res.writeHead(status).end();

describe('a line says', () => {
  test('that there is no such host', async () => {
    await expect(probe(new URL('http://no.such.host.invalid'))).resolves.toMatch(/^No HTTP server .*no\.such\.host/);
  });

  test('that a server speaks no TLS', async () => {
    await using server = await serveReplies(always(200));
    const base = new URL(server.base.href.replace('http', 'https'));
    await expect(probe(base)).resolves.toMatch(/^No HTTP server answers at https:.*wrong version number/);
  });

  test.each([
    ['what is no HTTP', 'SSH-2.0-Server\r\n', 'it answers "SSH-2.0-Server\\r\\n", which is not HTTP'],
    ['nothing', '', 'it closes the connection without a response'],
  ])('that a server says %s', async (_what, said, problem) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(said, 'latin1'));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const base = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    await expect(probe(base)).resolves.toBe(`No HTTP server answers at ${base.href}: ${problem}`);
    server.close();
  });

  test('that the credentials are refused, and where they come from', async () => {
    await expect(probeReplies(always(401))).resolves.toBe(
      'The server refuses the credentials of token in 3 operations. Check the value of BOOKS_TOKEN.',
    );
  });

  test('that nothing of the contract is there', async () => {
    await expect(probeReplies(always(404), '/v2')).resolves.toBe(
      'The server answers 404 to valid requests of 3 operations under /v2. Check the path in --url: that of a server in the contract precedes every path.',
    );
  });

  test('that only the pages of an application are there, which redirect or are HTML', async () => {
    const pages: RequestListener = ({ method, url }, res) => {
      if (method === 'POST') res.writeHead(404).end();
      else if (url === '/books') res.writeHead(302, { location: '/login' }).end();
      else res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>There is no such page.</p>');
    };
    await expect(probeReplies(pages)).resolves.toMatch(
      /^The server answers 302 or HTML or 404 to valid requests of 3 operations under \/\. Check the path in --url: /,
    );
  });

  test('that there are too many requests', async () => {
    const limit: RequestListener = (_req, res) => res.writeHead(429, { 'retry-after': '0' }).end();
    await expect(probeReplies(limit)).resolves.toMatch(/ keeps answering 429 to valid requests: /);
  });
});

describe('nothing is said where that is not sure', () => {
  test.each([
    ['a server that is right', byPath({ 'GET /books': 200 })],
    ['one that fails', always(500)],
    ['one that lets nobody do anything', always(403)],
    ['one that takes nobody', byPath({ 'GET /books': 403, 'GET /books/1': 403, 'POST /books': 200 })],
    ['one where only the ids are not there', byPath({ 'GET /books': 200, 'POST /books': 200 })],
    ['one where only writing is known', byPath({ 'POST /books': 400 })],
    ['one that redirects only from one operation', byPath({ 'GET /books': 302, 'POST /books': 200 })],
  ])('%s', async (_what, listener) => {
    await expect(probeReplies(listener)).resolves.toBeUndefined();
  });

  test('one that closes the connection of some requests', async () => {
    const close: RequestListener = ({ url }, res) => (url === '/books' ? res.destroy() : res.writeHead(404).end());
    await expect(probeReplies(close)).resolves.toBeUndefined();
  });
});

test('it sends no more than it takes, and nothing that changes something unless that is wanted', async () => {
  const sent: string[] = [];
  await using server = await serveReplies(({ method, url }, res) => {
    sent.push(`${String(method)} ${String(url)}`);
    res.writeHead(sent.length > 2 ? 200 : 404).end();
  });
  await probe(server.base);
  expect(sent.toSorted()).toEqual(['GET /books', 'GET /books', 'GET /no/such/path']);
  sent.length = 0;
  await using nothing = await serveReplies(({ method, url }, res) => {
    sent.push(`${String(method)} ${String(url)}`);
    res.writeHead(404).end();
  });
  await probe(nothing.base, () => false);
  expect(sent.filter((request) => request.startsWith('POST'))).toEqual([]);
});

test('an operation is unbuilt if a header of its reply says so, and not if the text of its body does', async () => {
  await using server = await serveReplies(({ method }, res) => {
    if (method === 'POST') res.setHeader('X-Contract-Kit-Not-Built', 'true');
    res.writeHead(501).end(method === 'POST' ? undefined : 'listBooks is not built yet');
  });
  const target = { base: server.base, secrets: { token: 'right' }, timeout: 60_000 };
  await expect(findUnbuilt(suite, target)).resolves.toEqual(new Set(['addBook']));
});

test.each([
  ['an operation of HEAD', 'head: { '],
  ['an operation whose optional body the suite cannot make', 'put: { requestBody: { content: { image/png: {} } }, '],
])('%s is unbuilt if a header of its reply says so', async (_what, begin) => {
  const contract = contractOf(`{ ${begin}operationId: a, responses: { '204': { description: Done. } } } }`);
  await using server = await serveReplies((_req, res) =>
    res.writeHead(501, { 'X-Contract-Kit-Not-Built': 'true' }).end(),
  );
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  await expect(findUnbuilt(createSuite(contract, { marker: 'probed' }), target)).resolves.toEqual(new Set(['a']));
});
