import { sendRaw } from '../../../../tests/support/send-raw';
import { serveEcho } from '../../../../tests/support/serve-echo';
import { parseCookies } from '../../src/contract/text/header-value';

test.each([
  ['two', 'a=1; b=2', { a: '1', b: '2' }],
  ['none', '', {}],
  ['no sign between name and value', 'a', {}],
  ['a quoted value', 'a="b"', { a: 'b' }],
  ['an empty quoted value', 'a=""', { a: '' }],
  ['a quote alone', 'a="', { a: '"' }],
  ['a quote in front alone', 'a="b', { a: '"b' }],
  ['a quote at the end alone', 'a=b"', { a: 'b"' }],
  ['white space around', ' a = b ', { a: 'b' }],
  ['the sign in the value', 'a=1=2', { a: '1=2' }],
])('cookies: %s', (_what, header, pairs) => {
  expect(parseCookies(header)).toEqual(Object.entries(pairs));
});

test('a request without a Cookie header has no cookies', () => {
  expect(parseCookies(undefined)).toEqual([]);
});

test.each([
  [
    '{ type: array, items: { type: integer, format: int64 } }',
    'x=0; p=1; p=9007199254740993',
    ['1n', '9007199254740993n'],
  ],
  ['{ type: array, items: { type: string } }', 'p=a&p=b%26c,d; x=0', ['a', 'b&c,d']],
  ['{ type: array, items: { type: string } }', 'x=0&q=%', undefined],
  ['{ type: object, properties: { a: { type: integer }, b: { type: string } } }', 'a=1&b=2; x=%', { a: 1, b: '2' }],
  ['{ type: object, properties: { a: { type: integer } } }', 'x=0', undefined],
])('exploded, a cookie parameter of %s in %s', async (schema, cookie, value) => {
  await using echo = await serveEcho('/echo', `parameters: [{ name: p, in: cookie, schema: ${schema} }]`);
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`;
  const [reply] = await sendRaw(echo.port, head);
  expect([reply?.status, echo.seen[0]?.['cookies']]).toEqual([204, value === undefined ? {} : { p: value }]);
});
