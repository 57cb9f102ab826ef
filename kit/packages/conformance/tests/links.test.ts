import { readFileSync } from 'node:fs';
import { readModel } from '../src/contract/model';
import { toText, type Json } from '../src/wire/json';
import { findLinks, isLinked } from '../src/stateful/links';
import { resolveTarget, findId } from '../src/stateful/find-id';
import { findNextPage } from '../src/stateful/read-pages';
import { findResources, type ListOperation } from '../src/stateful/resources';
import { evaluate, type RequestAndReply } from '../src/stateful/runtime-expression';
import type { WireReply } from '../src/wire/reply';

/** What is found in a contract, a line each. */
function linesOf(text: string): string[] {
  const model = readModel(text);
  const all = findLinks(model);
  return [
    ...all.resources.map(({ path, create, list, idExpressions, isIdChosenByClient }) => {
      const listed = list ? `, listed by ${list.operation.id} ${list.itemsPointer} ${String(list.idProperty)}` : '';
      const made = create ? `, made by ${create.id} ${idExpressions.join(' ')}` : '';
      return `${path}${made}${listed}${isIdChosenByClient ? ', chosen' : ''}`;
    }),
    ...all.linkedOperations.map(({ operation, resource, origins }) => {
      const values = [...origins].map(
        ([{ name }, origin]) =>
          `${name} ${'resource' in origin ? `of ${origin.resource.path}` : `by ${toText(origin.expression)}`}`,
      );
      return `${operation.id} is about ${resource.path}: ${values.join(', ')}`;
    }),
    ...model.operations.filter((one) => !isLinked(all, one)).map(({ id }) => `${id}: nobody can tell`),
  ];
}

function contractOf(paths: object, components: object = {}): string {
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components });
}

const linesOfPaths = (...parts: Parameters<typeof contractOf>): string[] => linesOf(contractOf(...parts));

function json(schema: object): object {
  return { description: 'x', content: { 'application/json': { schema } } };
}

const THING = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } };

test.each([
  [
    'packages/test-support/fixtures/crates.yaml',
    [
      '/crates/{crateId}, made by packCrate $response.body#/id, listed by listCrates #/items id',
      '/crates/{crateId}/labels/{number}, made by addLabel $response.body#/number, listed by listLabels  number',
      'getCrate is about /crates/{crateId}: crateId of /crates/{crateId}',
      'repackCrate is about /crates/{crateId}: crateId of /crates/{crateId}',
      'unpackCrate is about /crates/{crateId}: crateId of /crates/{crateId}',
      'changeCrate is about /crates/{crateId}: crateId of /crates/{crateId}',
      'listLabels is about /crates/{crateId}: crateId of /crates/{crateId}',
      'addLabel is about /crates/{crateId}: crateId of /crates/{crateId}',
      'removeLabel is about /crates/{crateId}/labels/{number}: crateId of /crates/{crateId}, number of /crates/{crateId}/labels/{number}',
    ],
  ],
  [
    'packages/test-support/fixtures/lending.yaml',
    [
      '/books/{isbn}, made by addBook $response.body#/isbn $request.body#/isbn, listed by listBooks  isbn, chosen',
      'getBook is about /books/{isbn}: isbn of /books/{isbn}',
      'removeBook is about /books/{isbn}: isbn of /books/{isbn}',
    ],
  ],
  [
    'packages/test-support/fixtures/shelf.yaml',
    [
      '/items/{itemKey}, made by createItem $response.body#/key $request.body#/key, listed by listItems  key, chosen',
      'getItem is about /items/{itemKey}: itemKey of /items/{itemKey}',
    ],
  ],
  [
    'packages/test-support/fixtures/parameters.yaml',
    expect.arrayContaining([expect.stringMatching(/nobody can tell$/)]),
  ],
])('%s', (file, expected) => {
  expect(linesOf(readFileSync(file, 'utf8'))).toEqual(expected);
});

test('an id may be in an envelope, or not declared in the reply at all', () => {
  const create = (schema: object): object => ({
    post: { operationId: 'make', requestBody: json({ type: 'object' }), responses: { 201: json(schema) } },
  });
  const item = {
    get: {
      operationId: 'read',
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: { description: 'x' } },
    },
  };
  const made = (schema: object): string | undefined =>
    linesOfPaths({ '/articles': create(schema), '/articles/{slug}': item })[0];
  const slug = { type: 'object', properties: { slug: { type: 'string' } } };
  expect(made({ type: 'object', properties: { article: slug, more: { type: 'object' } } })).toBe(
    '/articles/{slug}, made by make $response.body#/article/slug',
  );
  expect(made({ type: 'object', properties: { other: slug, more: { type: 'object' } } })).toBe(
    '/articles/{slug}, made by make ',
  );
});

test('a declared link, the schema of a reply, and a name that means a resource count, too', () => {
  const parameter = (name: string): object => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const read = (id: string, ...names: string[]): { get: object } => ({
    get: {
      operationId: id,
      parameters: names.map(parameter),
      responses: { 200: json({ $ref: '#/components/schemas/Thing' }) },
    },
  });
  const order = (links: object): object => ({
    post: { operationId: 'order', requestBody: json(THING), responses: { 201: { ...json(THING), links } } },
  });
  const links = { read: { operationId: 'readOrder', parameters: { 'path.number': '$response.body#/name' } } };
  expect(
    linesOfPaths(
      { '/shop/order': order(links), '/orders/{number}': read('readOrder', 'number') },
      { schemas: { Thing: THING } },
    ),
  ).toEqual([
    '/orders/{number}, made by order ',
    'readOrder is about /orders/{number}: number by $response.body#/name',
  ]);
  const hire = {
    post: { operationId: 'hire', responses: { 201: json({ $ref: '#/components/schemas/Thing' }) } },
  };
  expect(
    linesOfPaths(
      {
        '/agency': hire,
        '/people/{personId}': read('readPerson', 'personId'),
        '/pay/{person_id}': { get: { ...read('pay', 'person_id').get, responses: { 204: { description: 'x' } } } },
      },
      { schemas: { Thing: THING } },
    ),
  ).toEqual([
    '/people/{personId}, made by hire $response.body#/id',
    'readPerson is about /people/{personId}: personId of /people/{personId}',
    'pay is about /people/{personId}: person_id of /people/{personId}',
  ]);
});

test('a link that is a reference to nothing is left out, and said when the contract is read', () => {
  const links = { gone: { $ref: '#/components/links/Gone' } };
  const list = { operationId: 'listBooks', responses: { 200: { ...json({ type: 'array' }), links } } };
  const { operations, contract } = readModel(contractOf({ '/books': { get: list } }));
  expect(operations.map(({ replies }) => replies.get('200')?.links)).toEqual([[]]);
  const reason = 'references to values that do not exist';
  expect(contract.skipped.list()).toEqual([{ reason, places: ['#/components/links/Gone'] }]);
});

test('what takes one of another to be made, which takes one of the first, is made by nobody', () => {
  const of = (id: string, names: readonly string[], method: string): object => ({
    [method]: {
      operationId: id,
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      responses: { 201: json(THING) },
    },
  });
  expect(
    linesOfPaths({
      '/of-bees/{beeId}/ants': of('makeAnt', ['beeId'], 'post'),
      '/of-bees/{beeId}/ants/{antId}': of('readAnt', ['beeId', 'antId'], 'get'),
      '/of-ants/{antId}/bees': of('makeBee', ['antId'], 'post'),
      '/of-ants/{antId}/bees/{beeId}': of('readBee', ['antId', 'beeId'], 'get'),
    }).filter((line) => line.startsWith('make')),
  ).toEqual(['makeAnt: nobody can tell', 'makeBee: nobody can tell']);
});

const BASE = new URL('http://127.0.0.1:3000/v1');

test.each([
  ['/v1/books?page=2', '/books?page=2'],
  ['?page=2', '/books?page=2'],
  ['books/1', '/books/1'],
  ['http://127.0.0.1:3000/v1/books/1', '/books/1'],
  ['/v10/books', undefined],
  ['/books', undefined],
  ['//example.org/v1/books', undefined],
  ['http://127.0.0.1:3001/v1/books', undefined],
])('a link to %s is the target %s below /v1', (link, target) => {
  expect(resolveTarget(BASE, link, { target: '/books' }, undefined)).toBe(target);
});

test('without a path of the base URL, every path is below it', () => {
  expect(resolveTarget(new URL('http://127.0.0.1:3000/'), '/v10/books', { target: '/books' }, undefined)).toBe(
    '/v10/books',
  );
});

const model = readModel(
  contractOf({
    '/shelves/{shelf}/books': {
      post: {
        operationId: 'add',
        parameters: [{ name: 'shelf', in: 'path', required: true, schema: {} }],
        responses: { 201: { description: 'x' } },
      },
    },
    '/shelves/{shelf}/books/{id}': { get: { operationId: 'read', responses: { 200: { description: 'x' } } } },
  }),
);

/** An exchange that made a book. */
function made(body: Json | undefined, headers: Record<string, string> = {}): RequestAndReply {
  const [operation] = model.operations;
  if (!operation) throw new Error('the contract has no operation');
  return {
    operation,
    request: {
      method: 'POST',
      target: '/shelves/a%20b/books?dry=no',
      headers: [['X-Trace', 't']],
      body: Buffer.from('{"title":"Emma","number":9007199254740993}'),
    },
    reply: {
      status: 201,
      headers: [['content-type', 'application/json'], ...Object.entries(headers)],
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    },
  };
}

test.each<[expression: Json, value: Json | undefined]>([
  ['$response.body#/book/id', 'b1'],
  ['$response.body#/authors/1', 'Cassandra'],
  ['$response.body#/none/at/all', undefined],
  ['$response.header.Location', '/shelves/a/books/b2'],
  ['$request.body#/number', 9007199254740993n],
  ['$request.path.shelf', 'a b'],
  ['$request.query.dry', 'no'],
  ['$request.header.x-trace', 't'],
  ['$method', 'POST'],
  ['$statusCode', 201n],
  ['$nothing', undefined],
  ['always this', 'always this'],
])('%s', (expression, value) => {
  const told = made({ book: { id: 'b1' }, authors: ['Jane', 'Cassandra'] }, { location: '/shelves/a/books/b2' });
  expect(evaluate(expression, told)).toBe(value);
});

describe('an id', () => {
  const [book] = findResources(model);
  const idOf = (body: Json | undefined, headers: Record<string, string> = {}): Json | undefined =>
    book && findId(book, made(body, headers), new URL('https://books.example/v1'));

  test.each([
    ['of Location', undefined, { location: '/v1/shelves/a%20b/books/b%2F3' }, 'b/3'],
    ['of a Location that is relative', undefined, { location: 'books/b4' }, 'b4'],
    ['of a property that is not declared', { id: 'b5' }, {}, 'b5'],
    ['of another server', undefined, { location: 'https://evil.example/v1/shelves/a/books/b6' }, undefined],
    ['that would lead up', { id: '..' }, { location: '/v1/shelves/a/books/%2e%2e' }, undefined],
    ['that is none', { id: null }, {}, undefined],
  ])('%s', (_title, body, headers: Record<string, string>, expected) => {
    expect(idOf(body, headers)).toBe(expected);
  });
});

/** The list of a contract whose list takes these query parameters. */
function listOf(...names: string[]): ListOperation {
  const thing = { type: 'object', properties: { id: { type: 'string' } } };
  const parameters = names.map((name) => ({ name, in: 'query', schema: {} }));
  const schema = { type: 'object', properties: { items: { type: 'array', items: thing } } };
  const responses = { 200: { description: 'x', content: { 'application/json': { schema } } } };
  const id = { name: 'id', in: 'path', required: true, schema: {} };
  const paths = {
    '/books': { get: { operationId: 'list', parameters, responses } },
    '/books/{id}': { get: { operationId: 'read', parameters: [id], responses } },
  };
  const list = findResources(readModel(contractOf(paths)))[0]?.list;
  if (!list) throw new Error('the contract has no list');
  return list;
}

/** How the page behind this one is asked for. */
function next(list: ListOperation, { body, link }: { body: object; link?: string }, pages = 2): string | undefined {
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ...(link === undefined ? [] : [['link', link] as [string, string]]),
  ];
  const reply: WireReply = { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
  const found = findNextPage(list, reply, { base: BASE, request: { target: '/books?limit=2' }, items: 4, pages });
  if (found === undefined || found === 'unknown') return found;
  return 'target' in found ? found.target : [...found.texts.values()].flat().join('&');
}

const ONE = { items: [{ id: 'a' }] };

describe('the next page', () => {
  test.each<[title: string, list: ListOperation, page: { body: object; link?: string }, expected: string | undefined]>([
    ['a Link header', listOf(), { body: ONE, link: '</v1/books?page=3>; rel="prev next"' }, '/books?page=3'],
    [
      'one of several links',
      listOf(),
      { body: ONE, link: '<?page=1>; rel=first, <?page=3>; rel=next' },
      '/books?page=3',
    ],
    ['a link to another relation', listOf(), { body: ONE, link: '</v1/books?page=1>; rel="nextish"' }, undefined],
    ['a link to another server', listOf(), { body: ONE, link: '<https://evil.example/v1/books>; rel=next' }, undefined],
    ['a link out of the base URL', listOf(), { body: ONE, link: '</admin>; rel=next' }, undefined],
    ['a URL in the body', listOf(), { body: { links: { next: { href: '/v1/books?after=b' } } } }, '/books?after=b'],
    ['a cursor in the body', listOf('page[after]'), { body: { next_cursor: 'b c' } }, 'page%5Bafter%5D=b%20c'],
    ['no cursor any more', listOf('cursor'), { body: { ...ONE, nextCursor: null } }, undefined],
    ['an offset', listOf('offset', 'limit'), { body: ONE }, 'offset=4'],
    ['a page', listOf('page'), { body: ONE }, 'page=3'],
    ['a cursor that no known parameter takes', listOf('before'), { body: { ...ONE, next: 'b' } }, 'unknown'],
    ['an empty page', listOf('page'), { body: { items: [] } }, undefined],
    ['nothing of the kind', listOf('sort'), { body: ONE }, undefined],
  ])('%s', (_title, list, page, expected) => {
    expect(next(list, page)).toBe(expected);
  });

  test('after the first one is unknown where neither contract nor reply has a place for its cursor', () => {
    expect(next(listOf('cursor'), { body: ONE }, 1)).toBe('unknown');
    expect(next(listOf('cursor'), { body: { ...ONE, nextCursor: null } }, 1)).toBeUndefined();
  });
});
