import request from 'supertest';
import { createServer } from 'node:http';
import express from 'express';
import { toLoggedPath } from '../../src/http/report';
import { createRoutes, toPath } from '../../src/pipeline/routes';
import type { Operation } from '@contract-kit/contract';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { startThings, TOKEN, type ThingsApp } from '@contract-kit/test-support/start-things';
import { serveText } from '@contract-kit/test-support/serve-text';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { createCors } from '../../src/runtime/cors';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';

test.each([
  ...['/', '/Things', '/things/', '/things/1', '//things', '/th%2569ngs', '/things%2f', '/../things', '/things;x'],
  '/%',
])('404 for the path %s, with or without credentials', async (path) => {
  await using app = await startThings();
  const line = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  for (const credentials of ['', `Authorization: Bearer ${TOKEN}\r\n`]) {
    const [reply] = await sendRaw(app.port, `${line}${credentials}\r\n`);
    expect(reply).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } });
    expect(reply?.body).toContain('40400');
  }
});

test.each(['/th%69ngs', '/%74%68%69%6e%67%73', '/%74%68%69%6E%67%73?'])('%s is /things', async (path) => {
  await using app = await startThings();
  const [reply] = await sendRaw(app.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } });
});

test('the digits of what is encoded are the same in upper and lower case', () => {
  expect(toPath('/caf%c3%a9?%c3')).toBe('/caf%C3%A9');
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE'])('405 with Allow for %s', async (method) => {
  await using app = await startThings();
  const [reply] = await sendRaw(app.port, `${method} /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST', 'content-type': 'application/json' } });
  expect(reply?.body).toContain('40500');
});

test('405 without a body for HEAD, where there is no GET', async () => {
  await using app = await startThings();
  const reply = await request(app.server).head('/things').expect(405);
  expect(reply.headers['allow']).toBe('POST');
});

function postTo({ server }: ThingsApp, target: string): request.Test {
  return request(server).post(target).auth(TOKEN, { type: 'bearer' }).send({ id: 1, name: 'Rose' });
}

test.each([
  ...['?x=1', '?x', '?=', '?%', '?name=Rose&name=Fern', '?__proto__[x]=1', '?x=%ff', `?${'&'.repeat(1200)}x=1`],
])('400 for the query %s', async (query) => {
  await using app = await startThings();
  const reply = await postTo(app, `/things${query}`).expect(400);
  expect(reply.body).toMatchObject({ error: 40010 });
  expect(app.rows()).toEqual([]);
});

test('200 for an empty query', async () => {
  await using app = await startThings();
  expect((await postTo(app, '/things?')).status).toBe(200);
});

test('the path of the base URL is the prefix of every operation', async () => {
  await using app = await startThings({ prefix: '/v1/store' });
  const statuses = [(await postTo(app, '/things')).status, (await postTo(app, '/v1/store/things')).status];
  expect(statuses).toEqual([404, 200]);
});

const SERVERS = `openapi: 3.1.0
info: { title: A, version: '1' }
servers: [{ url: /v1 }]
paths:
  /a: { get: { operationId: a, responses: { '200': { description: Done. } } } }
  /b:
    servers: [{ url: 'https://a.example/v2' }]
    get: { operationId: b, responses: { '200': { description: Done. } } }
    put: { operationId: c, servers: [{ url: / }], responses: { '200': { description: Done. } } }
`;

test.each([
  ['its own server', undefined, { '/v1/a': ['GET', 'HEAD'], '/v2/b': ['GET', 'HEAD'], '/b': ['PUT'] }],
  ['the prefix that the service is given', '', { '/a': ['GET', 'HEAD'], '/b': ['GET', 'HEAD', 'PUT'] }],
  ['that prefix', '/v3', { '/v3/a': ['GET', 'HEAD'], '/v3/b': ['GET', 'HEAD', 'PUT'] }],
])('an operation is below %s, and nowhere else', async (_, prefix, methods: Record<string, string[]>) => {
  const succeed: UntypedHandler = (_request, reply) => reply(200);
  await using app = await serveText(SERVERS, { a: succeed, b: succeed, c: succeed }, {}, { prefix });
  for (const path of ['/a', '/v1/a', '/v2/a', '/v3/a', '/b', '/v1/b', '/v2/b', '/v3/b']) {
    const { status, headers } = await request(app.server).patch(path);
    expect([path, status === 405 ? headers['allow'] : status]).toEqual([path, methods[path]?.join(', ') ?? 404]);
    for (const method of methods[path] ?? []) {
      await request(app.server)[method.toLowerCase() as 'get'](path).expect(200);
    }
  }
});

function at(path: string, method = 'GET'): readonly [Operation, string] {
  const messages = { body: undefined, messageWithoutBody: undefined, replies: new Map() };
  return [
    {
      id: path,
      object: { responses: {} },
      method,
      path,
      serverPath: '/own',
      parameters: [],
      querystring: undefined,
      security: [],
      ...messages,
    },
    path,
  ];
}

test('a path has its methods together', () => {
  const find = createRoutes([at('/a'), at('/a', 'PUT')], '');
  expect([...find('/a', 'GET').route.keys()]).toEqual(['GET', 'HEAD', 'PUT']);
  expect([...find('/b', 'GET').route]).toEqual([]);
});

test('a contract may spell a path in another way, too', () => {
  const find = createRoutes([at('/pl%61nts/%2F'), at('/%61/{b}.%6Ason'), at('/café'), at('/{b}é/ü b')], '');
  expect(find('/plants/%2F', 'GET').route.get('GET')).toBe('/pl%61nts/%2F');
  expect(find('/a/b.json', 'GET').route.get('GET')).toBe('/%61/{b}.%6Ason');
  expect(find('/plants//', 'GET').route.size).toBe(0);
  expect(find('/caf%C3%A9', 'GET').route.get('GET')).toBe('/café');
  expect(find('/x%C3%A9/%C3%BC%20b', 'GET').texts).toEqual(new Map([['b', 'x']]));
});

test('a path may have a parameter several times, with one value', () => {
  const find = createRoutes([at('/{a}/{b}/{a}'), at('/{a}/{b}/{c}', 'PUT'), at('/x/{a}-{a}')], '');
  expect(find('/1/2/1', 'GET').route.get('GET')).toBe('/{a}/{b}/{a}');
  expect(Object.fromEntries(find('/1/2/1', 'GET').texts)).toEqual({ a: '1', b: '2' });
  expect(find('/1/2/3', 'GET').route.size).toBe(0);
  expect(find('/1/2/3', 'PUT').route.get('PUT')).toBe('/{a}/{b}/{c}');
  expect(find('/x/1-1', 'GET').route.get('GET')).toBe('/x/{a}-{a}');
  expect(find('/x/1-2', 'GET').route.size).toBe(0);
});

test.each([
  [['/{x}/b', '/a/{y}'], '/a/b', '/a/{y}', { y: 'b' }],
  [['/a/{y}', '/{x}/b'], '/a/b', '/a/{y}', { y: 'b' }],
  [['/{x}/b', '/a/{y}'], '/c/b', '/{x}/b', { x: 'c' }],
  [['/a/{b}', '/a/{b}/c', '/a/d'], '/a/d', '/a/d', {}],
  [['/a/{b}', '/a/{b}/c', '/a/d'], '/a/d/c', '/a/{b}/c', { b: 'd' }],
  [['/a/{b}/c', '/a/{b}', '/{x}/d/e'], '/a/d/e', '/{x}/d/e', { x: 'a' }],
  [['/{a}', '/{a}.json', '/v{a}.json'], '/v1.json', '/v{a}.json', { a: '1' }],
  [['/{a}', '/{a}.json', '/v{a}.json'], '/1.json', '/{a}.json', { a: '1' }],
  [['/{a}', '/{a}.json', '/v{a}.json'], '/1.yaml', '/{a}', { a: '1.yaml' }],
])('%j: the first segment in which paths differ decides %s', (paths, path, found, texts) => {
  const operations = paths.map((one) => at(one));
  const { route, ...rest } = createRoutes(operations, '')(path, 'GET');
  expect([route.get('GET'), Object.fromEntries(rest.texts)]).toEqual([found, texts]);
});

test.each([
  ['/{name}.{ext}', '/a.b.json', ['a.b', 'json']],
  ['/{name}.{ext}', '/.a', undefined],
  ['/{base}...{head}', '/v1.0...v1.1', ['v1.0', 'v1.1']],
  ['/{a}-{b}-{c}', '/1-2-3-4', ['1', '2-3', '4']],
  ['/v{a}1{b}12{c}.x', '/v123121234.x.x', ['123', '2', '34.x']],
  ['/{a}.{b}.json', '/a.b.c.json', ['a.b', 'c']],
  ['/{a}.{b}.json', '/a.json', undefined],
  // With a split that is tried at each of these, it would take minutes to find none.
  ['/{a}.{b}.{c}.{d}x', `/${'.b'.repeat(200_000)}`, undefined],
  ['/{a}.{b}x', `/${'.b'.repeat(200_000)}`, undefined],
])('%s is split where the text between its last two parameters is last', (template, path, values) => {
  const { texts, route } = createRoutes([at(template)], '')(path, 'GET');
  expect(route.size === 0 ? undefined : [...texts.values()]).toEqual(values);
});

test('paths that differ in the names of their parameters are one', () => {
  const find = createRoutes([at('/pets/{id}', 'GET'), at('/pets/{name}', 'DELETE'), at('/pets/mine', 'PUT')], '');
  expect(find('/pets/1', 'GET')).toMatchObject({ texts: new Map([['id', '1']]) });
  expect(find('/pets/1', 'DELETE')).toMatchObject({ texts: new Map([['name', '1']]) });
  expect([...find('/pets/1', 'POST').route.keys()]).toEqual(['GET', 'HEAD', 'DELETE']);
  expect([...find('/pets/mine', 'GET').route.keys()]).toEqual(['PUT']);
});

test.each([
  ['GET /no/where?secret=1', '/no/where'],
  ['PUT /things', '/things'],
  [`GET /${'a'.repeat(300)}`, `/${'a'.repeat(199)}`],
  ['GET http://a/no', '/no'],
])('%j has no operation: the log is told the path, without the query and escaped', async (line, requestedPath) => {
  await using app = await startThings();
  await sendRaw(app.port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(app.outcomes).toMatchObject([{ requestedPath, path: undefined }]);
});

test('an operation that refuses has its path of the contract', async () => {
  await using app = await startThings();
  await sendRaw(app.port, 'POST /things?a=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(app.outcomes).toMatchObject([{ path: '/things', requestedPath: undefined }]);
});

test.each([
  ['/a\u009b2J\n%0Aü?\u0000', String.raw`/a\u{9b}2J\u{a}%0A\u{fc}`],
  [`/${'\u009b'.repeat(300)}`, `/${String.raw`\u{9b}`.repeat(34)}`.slice(0, 200)],
])('whatever a parser lets through, %j is logged as %s', (target, logged) => {
  expect(toLoggedPath({ url: target })).toBe(logged);
});

const REPLIES = "responses: { '204': { description: Done. } }";
const BODY = `requestBody: { content: { application/json: { schema: { type: object, required: [bed], properties: { bed: {} } } } } }`;

/** A contract whose path /beds has these members. */
function contractOf(version: string, members: string): string {
  return `openapi: ${version}\ninfo: { title: Beds, version: 1.0.0 }\nsecurity: []\npaths: { /beds: { ${members} } }\n`;
}

const OPERATIONS = {
  '3.2.0': `query: { operationId: find, ${BODY}, ${REPLIES} }, additionalOperations: { PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} }, x-a: 1 }`,
  '3.1.0': `x-oai-query: { operationId: find, ${BODY}, ${REPLIES} }, x-oai-additionalOperations: { PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} } }`,
  '3.0.3': `x-oai-additionalOperations: { QUERY: { operationId: find, ${BODY}, ${REPLIES} }, PURGE: { ${REPLIES} }, M-SEARCH: { ${REPLIES} } }`,
};

describe.each(Object.entries(OPERATIONS))('in OpenAPI %s', (version, members) => {
  const source = contractOf(version, `get: { ${REPLIES} }, ${members}`);

  test('QUERY and additional methods are routed, checked and in Allow', async () => {
    const seen: unknown[] = [];
    const handler = (name: string) => (request: { body?: unknown }, reply: (status: number) => never) => {
      seen.push([name, request.body]);
      return reply(204);
    };
    const names = ['find', 'purgeBeds', 'mSearchBeds', 'getBeds'];
    await using served = await serveText(
      source,
      Object.fromEntries(names.map((name) => [name, handler(name)])) as never,
    );
    const send = async (method: string, body = '', type = 'application/json') => {
      const head = `Host: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${String(body.length)}`;
      const [reply] = await sendRaw(served.port, `${method} /beds HTTP/1.1\r\n${head}\r\n\r\n${body}`);
      return reply;
    };
    await expect(send('QUERY', '{"bed":1}')).resolves.toMatchObject({ status: 204 });
    await expect(send('QUERY', '{}')).resolves.toMatchObject({ status: 400 });
    await expect(send('QUERY', 'bed', 'text/plain')).resolves.toMatchObject({ status: 400 });
    for (const method of ['PURGE', 'M-SEARCH', 'HEAD'])
      await expect(send(method)).resolves.toMatchObject({ status: 204 });
    expect(seen).toEqual([['find', { bed: 1 }], ...names.slice(1).map((name) => [name, undefined])]);
    const allow = 'GET, HEAD, QUERY, PURGE, M-SEARCH';
    await expect(send('LOCK')).resolves.toMatchObject({ status: 405, headers: { allow } });
  });

  test('a preflight lists QUERY and additional methods', async () => {
    const app = express().use(createCors({ contract: loadText(source), corsOrigins: '*' }));
    await using served = await listenOnLoopback(createServer(app));
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'QUERY' };
    const reply = await request(served.server).options('/beds').set(headers).expect(204);
    expect(reply.headers).toMatchObject({ 'access-control-allow-methods': 'GET,QUERY,PURGE,M-SEARCH' });
  });
});

test.each([
  ['3.2.0', 'additionalOperations: { POST: {} }', 'POST has a field of its own: write post'],
  ['3.1.0', 'x-oai-query: {}, x-oai-additionalOperations: { QUERY: {} }', 'QUERY has a field of its own: write x-oai-'],
  ['3.2.0', 'additionalOperations: { GREET: {} }', 'no request with the method GREET: write one of ACL, '],
  ['3.2.0', 'additionalOperations: { QUERY: {} }', 'QUERY has a field of its own: write query'],
  ['3.2.0', 'additionalOperations: { purge: {} }', 'Node.js reads no request with the method purge'],
  ['3.2.0', 'additionalOperations: { CONNECT: {} }', 'Node.js reads no request with the method CONNECT'],
])('in OpenAPI %s, %s is refused', (version, members, message) => {
  expect(() => loadText(contractOf(version, members))).toThrow(message);
});

test.each(['additionalOperations: { PURGE: {} }', 'x-oai-query: {}', 'x-oai-additionalOperations: { PURGE: {} }'])(
  'what another version of OpenAPI has is an extension: %s',
  (members) => {
    const version = members.startsWith('x-') ? '3.2.0' : '3.1.0';
    expect(loadText(contractOf(version, members)).operations).toEqual([]);
  },
);
