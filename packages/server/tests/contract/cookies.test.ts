import { parseCookies } from '../../src/contract/text/cookies';

test.each([
  [
    'two',
    'a=1; b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  ['none', '', []],
  ['no sign between name and value', 'a', []],
  ['a quoted value', 'a="b"', [['a', 'b']]],
  ['an empty quoted value', 'a=""', [['a', '']]],
  ['a quote alone', 'a="', [['a', '"']]],
  ['a quote in front alone', 'a="b', [['a', '"b']]],
  ['a quote at the end alone', 'a=b"', [['a', 'b"']]],
  ['white space around', ' a = b ', [['a', 'b']]],
  ['the sign in the value', 'a=1=2', [['a', '1=2']]],
])('cookies: %s', (_what, header, pairs) => {
  expect(parseCookies(header)).toEqual(pairs);
});

test('cookies: no header', () => {
  expect(parseCookies(undefined)).toEqual([]);
});
