import { findCatalogues, type Document } from '../../src/contract/schema/document';
import { renderPage } from '../../src/docs/create-docs';

const CATALOGUE = {
  NOT_FOUND: { number: 40400, status: 404, meaning: 'No <b>operation</b> has this path, {title}.' },
  GONE: { number: 41000, status: 410, meaning: 'It was here.' },
};

function render(template: string, more: object = {}, title: unknown = 'Plants'): string {
  const document = { openapi: '3.0.3', info: { title, version: 1.5 }, paths: {}, ...more };
  return renderPage(template, document as Document, '../');
}

test('the parts of a template are filled in', () => {
  expect(render('<a href="{base}openapi.yaml">{title} {version}</a>')).toBe('<a href="../openapi.yaml">Plants 1.5</a>');
});

test.each([
  ['</title><script>"&\'', '&#60;/title&#62;&#60;script&#62;&#34;&#38;&#39;'],
  ['{version} $& $1', '{version} $&#38; $1'],
  [2026, '2026'],
])('a title of %j is text and no markup', (title, expected) => {
  expect(render('{title}', {}, title)).toBe(expected);
});

describe('the error catalogue', () => {
  const components = { schemas: { Error: { type: 'integer', 'x-error-catalogue': CATALOGUE } } };

  test('is a table, a row for each error, in the order of the contract', () => {
    const table = render('{errors}', { components });
    const rows = table.matchAll(/<th scope="row">(\d+)<\/th><td>(\d+)<\/td>/g);
    expect([...rows].map(([, ...cells]) => cells.join(' '))).toEqual(['40400 404', '41000 410']);
    const columns = [...table.matchAll(/<th scope="col">(\w+)</g)].map(([, name]) => name);
    expect(columns).toEqual(['Number', 'Status', 'Meaning', 'Name']);
    expect(table).toContain('<td>No &#60;b&#62;operation&#60;/b&#62; has this path, {title}.</td>');
    expect(table).toContain('<td><code>NOT_<wbr>FOUND</code></td>');
  });

  test('is found wherever it is, but not within itself', () => {
    const owner = { 'x-error-catalogue': { 'x-error-catalogue': {} } };
    expect([...findCatalogues({ paths: {}, list: [null, owner], 'x-more': owner })]).toEqual([owner, owner]);
  });

  test.each([[{}], [{ 'x-error-catalogue': {} }], [{ 'x-error-catalogue': null }]])('of %j is not there', (more) => {
    expect(render('{errors}', more)).toBe('');
  });
});
