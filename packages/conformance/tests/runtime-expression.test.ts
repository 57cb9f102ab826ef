import { readModel } from '../src/contract/model';
import { findId } from '../src/stateful/find-id';
import { findResources } from '../src/stateful/resources';
import { evaluate, type Exchanged } from '../src/stateful/runtime-expression';
import type { Json } from '../src/wire/json';

const CONTRACT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'x', version: '1' },
  paths: {
    '/shelves/{shelf}/books': {
      post: {
        operationId: 'add',
        parameters: [{ name: 'shelf', in: 'path', required: true, schema: {} }],
        responses: { 201: { description: 'x' } },
      },
    },
    '/shelves/{shelf}/books/{id}': { get: { operationId: 'read', responses: { 200: { description: 'x' } } } },
  },
});
const model = readModel(CONTRACT);

/** An exchange that made a book. */
function made(body: Json | undefined, headers: Record<string, string> = {}): Exchanged {
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
    ['that is null', { id: null }, {}, undefined],
  ])('%s', (_title, body, headers: Record<string, string>, expected) => {
    expect(idOf(body, headers)).toBe(expected);
  });
});
