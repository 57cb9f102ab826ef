import { createSuite, describeFailure, runSuite, titleOf } from '../src';
import { locationOf } from '../src/stateful/find-id';
import { serveReplies } from './serve-books';

const DONE = "responses: { '204': { description: Done. } }";
const CONTRACT = `openapi: 3.1.0
info: { title: Shelves, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /shelves:
    get: { operationId: listShelves, ${DONE} }
  /books:
    servers: [{ url: 'https://{host}/v2/', variables: { host: { default: books.example } } }]
    get: { operationId: listBooks, ${DONE} }
    put: { operationId: orderBook, servers: [{ url: '{root}', variables: {} }], ${DONE} }
`;
const suite = createSuite(CONTRACT, { marker: 'mark', level: 'robust' });

/** Runs the cases of methods and valid requests. Returns the paths of those that are sent, and the failures with their curl line. */
async function run(
  path: string,
  served: Readonly<Record<string, string>>,
): Promise<[sent: string[], failed: string[]]> {
  await using server = await serveReplies(({ method = '', url = '' }, res) => {
    const methods = served[new URL(url, 'http://a').pathname]?.split(', ');
    if (methods?.includes(method) === true) res.writeHead(204).end();
    else res.writeHead(methods ? 405 : 404, methods && { Allow: methods.join(', ') }).end();
  });
  const target = { base: new URL(path, server.base), secrets: {}, timeout: 10_000 };
  const isWanted = ({ class: name, expect: wanted }: { class: string; expect: string }): boolean =>
    name === 'positive' || name === 'control' || (name === 'method' && wanted === 'unknown method');
  const sent = new Set<string>();
  const failed: string[] = [];
  for await (const result of runSuite(suite, target, { isWanted })) {
    const { case: one, findings } = result;
    const line = describeFailure(result, target, {});
    const [, curlPath = ''] = /(?:http:..[^/]*|printf '\w+ )([^ ?']*)/.exec(line) ?? [];
    sent.add(`${one.operation} ${curlPath}`);
    if (findings.length > 0) failed.push(`${titleOf(one)}: ${findings.map(({ text }) => text).join()}`);
  }
  return [[...sent].sort(), failed];
}

test.each([
  [
    'its own server, if the base URL has the path of that of the contract',
    '/v1',
    { '/v1/shelves': 'GET', '/v2/books': 'GET', '/books': 'PUT' },
    ['listBooks /v2/books', 'listShelves /v1/shelves', 'orderBook /books'],
  ],
  [
    'the base URL otherwise',
    '/api/',
    { '/api/shelves': 'GET', '/api/books': 'GET, PUT' },
    ['listBooks /api/books', 'listShelves /api/shelves', 'orderBook /api/books'],
  ],
])('an operation is tested below %s', async (_, path, served, targets) => {
  const [sent, failed] = await run(path, served);
  expect(sent).toEqual(targets);
  expect(failed).toEqual([]);
});

test('a server that ignores the servers of operations is found out', async () => {
  const [, failed] = await run('/v1', { '/v1/shelves': 'GET', '/v1/books': 'GET, PUT' });
  expect(failed.join('\n')).toMatch(/listBooks.*accepts no valid request[^]*orderBook.*accepts no valid request/);
});

const HERE = { contractPath: '/v1', path: '/v2' };

test.each([
  ['/v2/books/7', HERE, '/books/7'],
  ['7', HERE, '/books/7'],
  ['/v1/books/7', HERE, undefined],
  ['/v1/books/7', undefined, '/books/7'],
])('a Location of %s is below the server %j of the operation that reads it', (location, server, target) => {
  const request = { method: 'POST', target: '/books/', headers: [], server: HERE };
  const reply = { status: 201, headers: [['location', location] as const], body: Buffer.alloc(0) };
  expect(locationOf({ request, reply }, new URL('http://a/v1'), server)).toBe(target);
});

const MENUS = `openapi: 3.1.0
info: { title: Menus, version: 1.0.0 }
paths:
  '/menu of {the day}/café[1]#a':
    get:
      operationId: readMenu
      parameters: [{ name: the day, in: path, required: true, schema: { const: 1 } }]
      responses: { '200': { description: The menu. } }
`;

test('the path of a contract is percent-encoded in each request', () => {
  const { cases } = createSuite(MENUS, { marker: 'marker', level: 'contract' });
  const right = cases.filter(({ expect }) => expect === 'accepted').map(({ request }) => request.target);
  expect(right).toContain('/menu%20of%201/caf%C3%A9%5B1%5D%23a');
  expect(cases.filter(({ request }) => / |é/.test(request.target))).toEqual([]);
});
