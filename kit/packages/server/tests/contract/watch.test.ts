import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { Registry } from 'prom-client';
import request from 'supertest';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import type { Finding } from '../../src/http/findings';
import { keepRawBody } from '../../src/request/read-request';
import { createLog } from '../../src/runtime/log';
import { createFindingCounter } from '../../src/admin/metrics';
import { serveContract, type WatchOptions } from '../../src/pipeline/serve-contract';

const NOTE = `{ type: object, required: [id, text], properties:
  { id: { type: integer, format: int64 }, text: { type: string, maxLength: 5 }, secret: { type: string, writeOnly: true },
    tags: { type: array, items: { type: object, properties: { name: { type: string } } } } } }`.replaceAll('\n', ' ');
const CONTRACT = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
security: []
paths:
  /notes/{id}:
    post:
      operationId: putNote
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: limit, in: query, schema: { type: integer, maximum: 10 } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }
      responses:
        '200':
          description: Kept.
          headers: { X-Count: { schema: { type: integer } }, Set-Cookie: { schema: { type: array, items: { type: string } } } }
          content:
            application/json: { schema: { $ref: '#/components/schemas/Note' } }
            text/plain: { schema: { type: string, maxLength: 3 } }
            image/png: { schema: { format: binary } }
        '204': { description: Nothing. }
    get:
      operationId: getNote
      security: [{ key: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } }
  /forms:
    post:
      operationId: sendForm
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: { type: object, properties: { size: { type: integer } } } }
          text/plain: { schema: { type: string, maxLength: 3 } }
          application/octet-stream: { schema: { format: binary } }
      responses: { '204': { description: Done. } }
  /moved:
    servers: [{ url: /v2 }]
    get: { operationId: getMoved, responses: { '204': { description: Nothing. } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas: { Note: ${NOTE} }
`;
const GOOD = '{"id":9007199254740994,"text":"Rose"}';

interface Watched extends ListeningServer {
  readonly findings: Finding[];
  /** The findings as `request 200 rule place`, once a request is judged. */
  found(): Promise<string[]>;
}

const parse = express.json({ strict: false, limit: '4mb', verify: keepRawBody });
const json =
  (text: string): RequestHandler =>
  (_req, res) => {
    res.type('json').send(text);
  };

// Express counts the parameters.
const answerError: ErrorRequestHandler = (cause: Error, _req, res, _next) => {
  res.status(500).send(cause.message);
};

/** An application of old with one route for all, which is watched. */
async function startWatched(
  route: RequestHandler,
  { parsers = [parse], ...options }: Partial<WatchOptions> & { parsers?: RequestHandler[] } = {},
): Promise<Watched> {
  const findings: Finding[] = [];
  const contract = loadText(CONTRACT);
  const log = createLog('silent');
  const observeFinding = (finding: Finding): void => {
    findings.push(finding);
    options.observeFinding?.(finding);
  };
  const watch = await serveContract({ contract, mode: 'watch', log, ...options, observeFinding });
  const app: Express = express()
    .use(...parsers, watch)
    .use(route);
  app.use(answerError);
  const listening = await listenOnLoopback(createServer(app));
  return {
    ...listening,
    findings,
    async found() {
      // Requests are judged when their replies are sent: a last one comes after all others.
      await sendRaw(listening.port, 'GET /notes/1?last=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await until(() => findings.some(({ place }) => place === '/query/*'));
      return findings
        .filter(({ operation }) => operation !== 'getNote')
        .map(({ message, status, rule, place }) => `${message} ${String(status)} ${rule} ${place}`.trim());
    },
  };
}

function post(app: Watched, body: string | Buffer, path = '/notes/1', type = 'application/json'): request.Test {
  return request(app.server)
    .post(path)
    .set('Content-Type', type)
    .serialize((sent: unknown) => sent as string)
    .send(body);
}

test.each<[string, string, string[]]>([
  ['what the contract declares', GOOD, []],
  ['a wrong body', '{"id":1,"text":"too long"}', ['request 200 maxLength /body/text']],
  ['an int64 beyond its range', '{"id":9223372036854775808,"text":""}', ['request 200 int64 /body/id']],
  ['an int64 that the parser rounded', '{"id":9007199254740993,"text":""}', ['request 200 rounded']],
  ['a missing property', '{"id":1}', ['request 200 required /body/text']],
])('%s in a request is judged by the bytes that were kept', async (_, body, expected) => {
  await using app = await startWatched(json(GOOD));
  await post(app, body).expect(200, GOOD);
  expect(await app.found()).toEqual(expected);
});

test('parameters, media types and codings are judged, too', async () => {
  await using app = await startWatched(json(GOOD));
  await post(app, GOOD, '/notes/x?limit=11&more=1').expect(200);
  await post(app, 'a,b', '/notes/1', 'text/csv').expect(200);
  const body = 'Content-Length: 1\r\nConnection: close\r\n\r\n1';
  await sendRaw(app.port, `POST /notes/1 HTTP/1.1\r\nHost: a\r\n${body}`);
  await post(app, gzipSync(GOOD), '/notes/1').set('Content-Encoding', 'gzip').expect(200);
  await post(app, GOOD.padEnd(2 * 1024 ** 2)).expect(200);
  expect((await app.found()).sort()).toEqual([
    'request 200 contentEncoding /headers/content-encoding',
    'request 200 contentType /headers/content-type',
    'request 200 contentType /headers/content-type',
    'request 200 listed /query/*',
    'request 200 maximum /query/limit',
    'request 200 size /body',
    'request 200 type /path/id',
  ]);
});

const FORM = 'application/x-www-form-urlencoded';
test.each<[string, RequestHandler[], [body: string, path?: string, type?: string], string[]]>([
  ['JSON', [express.json()], ['{"id":1,"text":"too long"}'], ['request 200 maxLength /body/text']],
  ['a form', [express.urlencoded()], ['size=a', '/forms', FORM], ['request 200 type /body/size']],
  [
    'a nested form',
    [express.urlencoded({ extended: true })],
    ['size[a]=1', '/forms', FORM],
    ['request 200 type /body'],
  ],
  ['a text', [express.text()], ['long', '/forms', 'text/plain'], ['request 200 maxLength /body']],
  ['bytes', [express.raw({ limit: '4mb' })], ['x'.repeat(1024), '/forms', 'application/octet-stream'], []],
  ['a body that nothing reads', [], [GOOD], ['request 200 notJudged']],
])('of %s, what a parser made is judged', async (_, parsers, sent, expected) => {
  await using app = await startWatched(json(GOOD), { parsers });
  await post(app, ...sent);
  expect((await app.found()).filter((one) => one.startsWith('request'))).toEqual(expected);
});

test('bytes too many to be kept in memory, and a body that only the route reads', async () => {
  const raw = express.raw({ limit: '4mb' });
  const binary = 'application/octet-stream';
  await using app = await startWatched(json(GOOD), { parsers: [raw], bodyLimit: 4 * 1024 ** 2 });
  await post(app, Buffer.alloc(2 * 1024 ** 2), '/forms', binary);
  expect(await app.found()).toContain('request 200 notJudged');
  const route = express.Router().use(parse, (req, res) => {
    res.json(req.body);
  });
  await using late = await startWatched(route, { parsers: [] });
  await post(late, '{"id":1,"text":"too long"}').expect(200);
  expect((await late.found()).sort()).toEqual([
    'reply 200 maxLength /body/text',
    'request 200 maxLength /body/text',
    'request 200 notJudged',
  ]);
  expect(late.findings.find(({ rule }) => rule === 'notJudged')?.detail).toContain('express.json({ verify');
});

test('a route that changes what a parser made does not change the verdict', async () => {
  await using app = await startWatched(
    (req, res) => {
      req.body = { id: 'x' };
      res.status(204).end();
    },
    { parsers: [express.json()] },
  );
  await post(app, '{"id":1,"text":""}').expect(204);
  expect(await app.found()).toEqual([]);
});

const sendEncoded =
  (encoding: string, encode: (text: string) => Buffer | string): RequestHandler =>
  (_req, res) => {
    res.setHeader('Content-Encoding', encoding);
    res.type('json').end(encode('{"id":1,"text":"too long"}'));
  };
const TOO_LONG = ['reply 200 maxLength /body/text'];

test.each<[string, RequestHandler, string[]]>([
  ['a wrong body', json('{"id":1,"text":"too long"}'), TOO_LONG],
  ['an int64 as text', json('{"id":"1","text":""}'), ['reply 200 type /body/id']],
  ['an int64 beyond its range', json('{"id":9223372036854775808,"text":""}'), ['reply 200 int64 /body/id']],
  [
    'undeclared and writeOnly properties',
    json('{"id":1,"text":"","secret":"s","tags":[{"x":1},{"x":2}]}'),
    ['reply 200 writeOnly /body/secret', 'reply 200 undeclared /body/tags/*/*'],
  ],
  ['an undeclared status', (_req, res) => void res.status(201).end(), ['reply 201 status']],
  ['an undeclared media type', (_req, res) => void res.send('<p>'), ['reply 200 contentType /body']],
  ['no media type', (_req, res) => void res.end('{}'), ['reply 200 contentType /body']],
  ['no body', (_req, res) => void res.end(), ['reply 200 required /body']],
  ['a body where none is declared', (_req, res) => void res.status(204).end(), []],
  ['broken JSON', json('{'), ['reply 200 json /body']],
  ['text', (_req, res) => void res.type('text').send('long'), ['reply 200 maxLength /body']],
  ['bytes', (_req, res) => void res.type('png').send(Buffer.from('x')), []],
  ['an empty text', (_req, res) => void res.type('text').send(''), []],
  ['no bytes', (_req, res) => void res.type('png').end(), []],
  ['a 304', (_req, res) => void res.status(304).end(), []],
  [
    'a wrong header',
    (_req, res) => void res.set('X-Count', 'x').type('json').send(GOOD),
    ['reply 200 type /headers/X-Count'],
  ],
  [
    'headers',
    (_req, res) => void res.set('X-Count', '1').cookie('a', '1').cookie('b', '2').type('json').send(GOOD),
    [],
  ],
  [
    'the head of writeHead()',
    (_req, res) => void res.writeHead(200, { 'X-Count': 'x', 'Content-Type': 'application/json' }).end(GOOD),
    ['reply 200 type /headers/X-Count'],
  ],
  [
    'a stream',
    (_req, res) => void Readable.from(['{"id":1,', Buffer.from('"text":"too long"}')]).pipe(res.type('json')),
    TOO_LONG,
  ],
  [
    'text in another encoding',
    (_req, res) => void res.type('json').end('eyJpZCI6MSwidGV4dCI6InRvbyBsb25nIn0=', 'base64'),
    TOO_LONG,
  ],
  ['gzip', sendEncoded('gzip', gzipSync), TOO_LONG],
  ['deflate', sendEncoded('deflate', deflateSync), TOO_LONG],
  ['br', sendEncoded('br', brotliCompressSync), TOO_LONG],
  ['GZIP', sendEncoded('GZIP', gzipSync), TOO_LONG],
  ['zstd', sendEncoded('zstd', String), ['reply 200 notJudged']],
  ['what an outer middleware is about to compress', sendEncoded('gzip', String), TOO_LONG],
  ['more than is kept', json(`"${'x'.repeat(1024 ** 2)}"`), ['reply 200 notJudged']],
  [
    'a compressed reply that would be more than is kept',
    (_req, res) =>
      void res
        .set('Content-Encoding', 'gzip')
        .type('json')
        .send(gzipSync(`"${'x'.repeat(1024 ** 2)}"`)),
    ['reply 200 notJudged'],
  ],
  ['a client that is cut off', (_req, res) => void res.write('{', () => res.destroy()), ['reply 200 notJudged']],
])('in a reply: %s', async (_, route, expected) => {
  await using app = await startWatched(route);
  const head = 'POST /notes/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n';
  await sendRaw(app.port, `${head}Content-Length: 18\r\n\r\n{"id":1,"text":""}`);
  expect(await app.found()).toEqual(expected);
});

test('a request without credentials is told unless it is refused with 401, and HEAD where it is refused with 405', async () => {
  await using app = await startWatched(
    (req, res) => void res.status(Number(req.headers['x-status'])).json({ id: 1, text: '' }),
  );
  const send = (method: 'get' | 'head', status: number, headers = {}): request.Test =>
    request(app.server)
      [method]('/notes/1')
      .set({ 'X-Status': String(status), ...headers });
  for (const status of [200, 400, 401]) await send('get', status);
  await send('get', 200, { 'X-Key': 'k' });
  for (const status of [200, 404, 405]) await send('head', status, { 'X-Key': 'k' });
  await until(() => app.findings.some(({ status }) => status === 405));
  expect(app.findings.map(({ status, rule }) => `${String(status)} ${rule}`)).toEqual([
    '200 security',
    '400 status',
    '400 security',
    '401 status',
    '405 method',
  ]);
});

test('a path in another spelling, and a method that the path does not have, are told where they are served', async () => {
  await using app = await startWatched((req, res) => void res.sendStatus(req.query['no'] === '1' ? 404 : 204));
  for (const path of ['/forms/', '/FORMS', '/forms/?no=1', '/formss', '/other'])
    await post(app, '', path, 'text/plain');
  for (const path of ['/notes/1', '/notes/1?no=1']) await request(app.server).delete(path);
  await request(app.server).get('/Notes/1');
  expect(await app.found()).toEqual(['request 204 path', 'request 204 path', 'request 204 method']);
  const details = app.findings.filter(({ rule }) => rule === 'path' || rule === 'method').map(({ detail }) => detail);
  expect(details.slice(1)).toEqual([
    'the contract has /forms, but not this path',
    'the contract has /notes/{id}, but not this method',
    'the contract has /notes/{id}, but not this path',
  ]);
});

test('a reply of middleware that goes on all the same is not judged', async () => {
  const answer: RequestHandler = (req, res, next) => {
    if (req.method === 'POST') res.send('early');
    next();
  };
  await using app = await startWatched((_req, res) => void (res.headersSent || res.json(1)), { parsers: [answer] });
  await post(app, '').expect(200, 'early');
  expect(await app.found()).toEqual([]);
});

test('that middleware in front wraps a method that the kit does not call is told once for each method', async () => {
  const wrap: RequestHandler = (_req, res, next) => {
    Object.assign(res, { send: res.send.bind(res), json: res.json.bind(res), end: res.end.bind(res) });
    next();
  };
  await using app = await startWatched(json(GOOD), { parsers: [parse, wrap] });
  for (let count = 0; count < 2; count++) await post(app, GOOD).expect(200, GOOD);
  expect(await app.found()).toEqual(['reply 200 wrapped res.send', 'reply 200 wrapped res.json']);
});

test('an operation is watched below its own server', async () => {
  await using app = await startWatched((req, res) => void res.sendStatus(req.path === '/moved' ? 201 : 202));
  await request(app.server).get('/moved').expect(201);
  await request(app.server).get('/v2/moved').expect(202);
  expect(await app.found()).toEqual(['reply 202 status']);
});

test('the detail of a finding names each undeclared property of a place, which the place does not', async () => {
  await using app = await startWatched(
    json('{"id":1,"text":"","more":1,"tags":[{"x":1,"name":""},{"x":2,"y":2,"z":3}]}'),
  );
  await post(app, GOOD);
  await until(() => app.findings.length > 0);
  expect(app.findings.map(({ place, detail }) => [place, detail])).toEqual([
    ['/body/*', 'response/body/more is not declared by the contract'],
    ['/body/tags/*/*', 'response/body/tags/0/x is not declared by the contract, nor is y, z'],
  ]);
});

test('an undeclared query parameter is not told where the service is to ignore it', async () => {
  await using app = await startWatched(json(GOOD), { undeclaredQuery: 'ignore' });
  await post(app, GOOD, '/notes/1?more=1');
  await post(app, '{"id":1}', '/notes/1?more=1');
  await until(() => app.findings.length > 0);
  expect(app.findings.map(({ rule }) => rule)).toEqual(['required']);
});

test('no byte, no header and no error changes', async () => {
  const contract = loadText(CONTRACT);
  const watch = await serveContract({ contract, mode: 'watch', log: createLog('silent') });
  const routes: RequestHandler = (req, res) => {
    if (req.query['fail'] !== undefined) throw new Error('a bug');
    if (req.method === 'POST') void Readable.from(['{"id":', '1}']).pipe(res.type('json'));
    else res.set('ETag', '"1"').json({ wrong: true });
  };
  const replies = await Promise.all(
    [[], [watch]].map(async (middleware) => {
      const app = express().use(...[parse, ...middleware], routes);
      app.use(answerError);
      await using listening = await listenOnLoopback(createServer(app));
      const head = ' HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
      const sent = [
        `GET /notes/1${head}\r\n`,
        `HEAD /notes/1${head}\r\n`,
        `GET /notes/1${head}If-None-Match: "1"\r\n\r\n`,
        `GET /notes/1?fail${head}\r\n`,
      ];
      const body = `Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
      const all = [...sent, `POST /notes/1${head}${body}{}`, `POST /notes/1${head}${body}{x`];
      return await Promise.all(
        all.map(async (bytes) =>
          (await sendRaw(listening.port, bytes)).map(({ headers, ...rest }) => ({
            ...rest,
            headers: { ...headers, date: '' },
          })),
        ),
      );
    }),
  );
  expect(replies[1]).toEqual(replies[0]);
  expect(replies[0]?.flat().flatMap(({ status }) => status || [])).toEqual([200, 200, 304, 500, 200, 500]);
});

test('findings are counted, and logged at most five times a second, without what a client chose', async () => {
  const lines: string[] = [];
  const registry = new Registry();
  const log = createLog('info', { write: (line) => lines.push(line) });
  await using app = await startWatched(json(GOOD), { observeFinding: createFindingCounter(registry), log });
  for (let count = 0; count < 7; count++) await post(app, '{"id":1,"text":"from a client"}', '/notes/1?client=1');
  await app.found();
  const metrics = await registry.metrics();
  expect(metrics).toContain(
    'contract_findings_total{operation="putNote",message="request",status="200",rule="maxLength",place="/body/text"} 7',
  );
  await until(() => lines.some((line) => line.includes('without a log line')));
  expect(lines.filter((line) => line.includes('not as the contract says'))).toHaveLength(5);
  expect(lines.join('') + metrics).not.toContain('client');
});

test('an observer that throws is logged once, and the next ones are judged', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const observeFinding = (): never => {
    throw new Error('a bug of the team');
  };
  await using app = await startWatched(json('{"id":1}'), { log, observeFinding });
  for (const body of ['{"id":1}', GOOD]) await post(app, body).expect(200);
  await until(() => lines.filter((line) => line.includes('not as the contract says')).length === 3);
  expect(lines.filter((line) => line.includes('observeFinding failed'))).toHaveLength(1);
});
