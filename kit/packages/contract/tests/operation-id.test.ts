import { nameOperations, toFileName } from '../src/5-messages/operation-id';
import { isPublic, listNotServed, listPublic } from '../src/5-messages/operation';
import { readOperations } from '../src/load-contract';
import { loadText } from '@contract-kit/test-support/load-text';

function nameOf(method: string, path: string, written?: unknown): string | undefined {
  return nameOperations([{ method, path, operationId: written }])[0];
}

const toOperation = (path: string) => ({ method: 'GET', path, operationId: undefined });

test.each([
  ['GET', '/pets', 'getPets'],
  ['GET', '/pets/{petId}', 'getPetsByPetId'],
  ['DELETE', '/user-profiles/{id}/v2.photos', 'deleteUserProfilesByIdV2Photos'],
  ['GET', '/reports/{year}-{month}.csv', 'getReportsByYearByMonthCsv'],
  ['DELETE', '/', 'deleteRoot'],
  ['GET', '/ÄÖÜ', 'getRoot'],
  ['M-SEARCH', '/pets', 'mSearchPets'],
])('without an operationId, %s %s is %s', (method, path, name) => {
  expect(nameOf(method, path)).toBe(name);
});

const IDS = ['listBooks', 'ListBooks', 'list_books', '$books', 'bücher', 'getRoot'];

test.each(IDS)('the operationId %s names the operation', (id) => {
  expect(nameOf('GET', '/books', id)).toBe(id);
});

test.each([
  ...['', '-', '1-book', 'delete', 'delete-', '-index', 'await', 'handlers', 'index', 'Index', 'con', 'NUL', 'lpt1'],
  ...['__proto__', '../con', 'a'.repeat(198), `${'ab-'.repeat(99)}a`, 7],
])('the operationId %s names no constant, or no file of its own', (id) => {
  expect(nameOf('GET', '/books', id)).toBe('getBooks');
});

test.each([
  ['create-playlist', 'createPlaylist'],
  ['Plants/List all', 'plantsListAll'],
  ['HTTP2go/all', 'http2goAll'],
  ['GET /v1/HTTP-status', 'getV1HTTPStatus'],
  ['a\\b', 'aB'],
])('the operationId %s is %s', (id, name) => {
  expect(nameOf('GET', '/books', id)).toBe(name);
});

test('of operationIds that mean the same name, one that is valid keeps it, and others name nothing', () => {
  const ids = ['listBooks', 'list-books', 'a-b', 'a.b', 'c-d'];
  const operations = ids.map((operationId, index) => ({ method: 'GET', path: `/p${String(index)}`, operationId }));
  expect(nameOperations(operations)).toEqual(['listBooks', 'getP1', 'getP2', 'getP3', 'cD']);
});

test('the file of a name without letters and digits has that name', () => {
  expect(nameOf('GET', '/books', '$_')).toBe('$_');
  expect(toFileName('$_')).toBe('$_');
});

test('an operationId that two operations have names neither, nor do two that would share a file', () => {
  const written = ['get', 'get', 'listBooks', 'list_books', 'other'];
  const operations = written.map((id, index) => ({ method: 'GET', path: `/p${String(index)}`, operationId: id }));
  expect(nameOperations(operations)).toEqual(['getP0', 'getP1', 'getP2', 'getP3', 'other']);
});

test('names that would be the same have a digest of method and path, whatever their order', () => {
  const operations = ['/a-b', '/a/b', '/a'].map(toOperation);
  const names = nameOperations(operations);
  expect(new Set(names.map(toFileName)).size).toBe(3);
  expect(names.join(' ')).toMatch(/^getAB[0-9a-f]{6} getAB[0-9a-f]{6} getA$/);
  expect(nameOperations(operations.toReversed())).toEqual(names.toReversed());
  const written = { method: 'PUT', path: '/b', operationId: 'getA' };
  const beside = nameOperations([toOperation('/a'), written]);
  expect(beside).toEqual([expect.stringMatching(/^getA[0-9a-f]{6}$/), 'getA']);
});

test('a contract that grows keeps the names that it has', () => {
  const before = ['/a', '/b/{c}', '/d'].map(toOperation);
  const more = ['/0', '/b', '/z'].map((path) => ({ method: 'POST', path, operationId: undefined }));
  const names = nameOperations([...more, ...before]);
  expect(names.slice(3)).toEqual(nameOperations(before));
});

test('a name is as long as a file allows, and still its own', () => {
  const long = `/${'a'.repeat(300)}`;
  const names = nameOperations([`${long}/b`, `${long}/c`].map(toOperation));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(toFileName(name).length).toBeLessThan(200);
});

test('where nothing is said of security or servers, an operation is public; ignored headers are left out', () => {
  const { operations } = loadText(`openapi: 3.1.0
info: { title: A, version: '2026' }
paths:
  /a:
    $ref: '#/components/pathItems/A'
    put: {}
webhooks:
  b: { post: { parameters: [{ name: c, in: nowhere }] } }
components:
  securitySchemes: { unused: { type: mutualTLS } }
  pathItems:
    A:
      parameters: [{ name: Accept, in: header, schema: {} }, { name: X-A, in: header, schema: {} }]
      get:
        parameters: [{ name: authorization, in: header }, { name: Content-Type, in: header }]
        callbacks: { d: { '{$url}': { post: { operationId: get, requestBody: { content: { image/*: {} } } } } } }
        responses: { '204': { description: Nothing. } }
`);
  const names = operations.map(({ id, parameters }) => `${id} ${parameters.map(({ name }) => name).join()}`);
  expect(names).toEqual(['getA X-A', 'putA X-A']);
  expect(operations.every(isPublic)).toBe(true);
  expect(listPublic(operations)).toEqual({ public: 'all operations' });
});

test('the public operations are listed by name, unless all or none are', () => {
  const { operations } = loadText(`openapi: 3.1.0
info: { title: A, version: '1' }
security: [{ key: [] }]
paths:
  /a: { get: { security: [] }, put: {}, post: { security: [{ key: [] }, {}] } }
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
`);
  expect(listPublic(operations)).toEqual({ public: ['getA', 'postA'] });
  expect(listPublic(operations.filter(({ id }) => id === 'putA'))).toEqual({});
});

test.each([
  ['', ''],
  ["servers: [{ url: 'https://api.example' }, { url: /v2 }]", ''],
  ["servers: [{ url: 'https://api.example/v1/' }]", '/v1'],
  ['servers: [{ url: ./v1/ }]', '/v1'],
  ["servers: [{ url: '/%7euser/%c3%a9' }]", '/~user/%C3%A9'],
  [
    "servers: [{ url: 'https://{host}:{port}/{base}', variables: { host: { default: a }, port: { default: '1' }, base: { default: b } } }]",
    '/b',
  ],
  ["servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://localhost:3000' } } }]", ''],
  ["servers: [{ url: '/v1/{base}', variables: { other: { default: a } } }]", '/v1'],
  ["servers: [{ url: 'https://:not' }]", ''],
])('with %s each operation is below "%s"', (servers, path) => {
  expect(loadText(`openapi: 3.1.0\ninfo: { title: A, version: '1' }\nwebhooks: {}\n${servers}\n`).serverPath).toBe(
    path,
  );
});

test.each([
  ['those of the contract', '', '', '/v1'],
  ['those of its path item', 'servers: [{ url: /v2 }]', '', '/v2'],
  [
    'its own',
    'servers: [{ url: /v2 }]',
    "servers: [{ url: 'https://{at}', variables: { at: { default: a/v3 } } }]",
    '/v3',
  ],
  ['those of the contract, if its own list is empty', '', 'servers: []', '/v1'],
  ['those of a path item behind a reference', '$ref: "#/components/pathItems/B"', '', '/v4'],
])('the server of an operation is the first of %s', (_, item, own, path) => {
  const { operations } = loadText(`openapi: 3.1.0
info: { title: A, version: '1' }
servers: [{ url: /v1 }]
paths: { /b: { ${[item, `put: { ${own} }`].filter(Boolean).join(', ')} } }
components: { pathItems: { B: { servers: [{ url: /v4 }] } } }
`);
  expect(operations.map(({ serverPath }) => serverPath)).toEqual([path]);
});

test.each([
  ['/v2/b', '/b', '/v2', []],
  ['/v1/v2/b', '/b', '/v1/v1/v2/', ['GET /v1/v2/b matches the same requests as GET /b: remove one of them']],
  ['/v2/{c}', '/{d}', '/v1/v2', ['GET /{d} matches the same requests as GET /v2/{c}: remove one of them']],
  ['/{c}', '/{d}', '/v2', ['GET /{d} matches the same requests as GET /{c}: remove one of them']],
])('%s below /v1 and %s below %s are refused if they match the same requests', (one, other, url, messages) => {
  const toItem = (path: string, server: string) => {
    const names = [...path.matchAll(/\{(.)\}/g)].map(([, name]) => String(name));
    const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: {} }));
    return { servers: [{ url: server }], parameters, get: {} };
  };
  const paths = { [one]: toItem(one, '/v1'), [other]: toItem(other, url) };
  const { errors } = readOperations({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths });
  expect(errors.map(({ message }) => message)).toEqual(messages);
});

test('what generate left out is listed', () => {
  expect(listNotServed({})).toEqual({});
  expect(listNotServed({ 'x-not-served': ['GET /a'] })).toEqual({ notServed: ['GET /a'] });
});

test.each(['null', 'a text', '{ get: { responses: { 204: { description: Done. } } } }'])(
  'an extension among the paths may be %s, and is not an operation',
  (value) => {
    const contract = loadText(`{ openapi: 3.1.0, info: { title: A, version: '1' }, paths: { x-owner: ${value} } }`);
    expect(contract.operations).toEqual([]);
  },
);
