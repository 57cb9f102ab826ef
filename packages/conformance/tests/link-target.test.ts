import { toTargetBelow } from '../src/stateful/find-id';

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
  expect(toTargetBelow(BASE, link, '/books')).toBe(target);
});

test('without a path of the base URL, every path is below it', () => {
  expect(toTargetBelow(new URL('http://127.0.0.1:3000/'), '/v10/books', '/books')).toBe('/v10/books');
});
