import { resolve } from 'node:path';
import { describeLocation, parseLocation, type StoreLocation } from '../src';

test.each<[string, StoreLocation]>([
  ['file:a.db', { file: resolve('a.db') }],
  ['file:/var/a.db', { file: '/var/a.db' }],
  ['file:///var/a%20b.db', { file: '/var/a b.db' }],
  ['file::memory:', { file: resolve(':memory:') }],
  ['postgres://a', { servers: ['postgres://a'] }],
  ['postgres://a:b@c@d/e', { servers: ['postgres://a:b@c@d/e'] }],
  [
    'postgresql://u:p%40@a:1,[::1]:2,c/d?sslmode=verify-full',
    { servers: ['a:1', '[::1]:2', 'c'].map((host) => `postgresql://u:p%40@${host}/d?sslmode=verify-full`) },
  ],
])('%s', (text, location) => {
  expect(parseLocation(text)).toEqual(location);
});

test.each([
  ['a.db', 'must be file: and a path'],
  ['a-file:a.db', 'must be'],
  ['postgres:a', 'must be'],
  ['postgres://a:sec ret@a:x/b', 'must be'],
  ['postgres://a,b:99999/c', 'must be'],
  ['postgres://a:sec@ret/b@c/d', 'must have / ?'],
  ['postgres://a:sec@ret?b@c/d', 'must have / ?'],
  ['postgres://a:sec@ret#b@c/d', 'must have / ?'],
  ['postgresx://a/b', 'must be'],
  ['x postgres://a/b', 'must be'],
  ['file:', 'must be'],
  ['file:data/', 'must be'],
  ['file:a.db?mode=ro', 'must be'],
  ['file://server/a.db', ''],
])('refused: %s', (text, message) => {
  expect(() => parseLocation(text)).toThrow(message);
  expect(() => parseLocation(text)).not.toThrow(/sec|ret/);
});

test('people are told where it is, and no password', () => {
  expect(describeLocation({ file: '/var/a.db' })).toBe('/var/a.db');
  expect(describeLocation({ servers: ['postgresql://u:secret@a:1/d', 'postgres://u:secret@[::1]/d?x=y'] })).toBe(
    'postgres://a:1/d,postgres://[::1]/d',
  );
});
