import { readModel } from '../src/contract/model';
import { nextPage } from '../src/stateful/read-pages';
import { findResources, type ListOperation } from '../src/stateful/resources';
import type { WireReply } from '../src/wire/reply';

const BASE = new URL('https://books.example/v1/');

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
  const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths });
  const list = findResources(readModel(text))[0]?.list;
  if (!list) throw new Error('the contract has no list');
  return list;
}

/** How the page behind this one is asked for. */
function next(list: ListOperation, { body, link }: { body: object; link?: string }): string | undefined {
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ...(link === undefined ? [] : [['link', link] as [string, string]]),
  ];
  const reply: WireReply = { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
  const found = nextPage(list, reply, { base: BASE, target: '/books?limit=2', items: 4, pages: 2 });
  if (found === undefined || found === 'unknown') return found;
  return 'target' in found ? found.target : [...found.texts.values()].flat().join('&');
}

const ONE = { items: [{ id: 'a' }] };

test.each<[title: string, list: ListOperation, page: { body: object; link?: string }, expected: string | undefined]>([
  ['a Link header', listOf(), { body: ONE, link: '</v1/books?page=3>; rel="prev next"' }, '/books?page=3'],
  ['one of several links', listOf(), { body: ONE, link: '<?page=1>; rel=first, <?page=3>; rel=next' }, '/books?page=3'],
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
