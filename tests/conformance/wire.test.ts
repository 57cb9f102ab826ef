import { isSame, readJson, Raw, toJson, writeJson } from './wire/json';
import { readReply } from './wire/reply';
import { toBytes } from './wire/request';
import { toCurl } from './wire/curl';

test.each([
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775809', -9223372036854775809n],
  ['1.0', 1n],
  ['1e3', 1000n],
  ['10e-1', 1n],
  ['-0', 0n],
  ['0e999999999', 0n],
  ['1e400', 10n ** 400n],
  ['1e999999999', Infinity],
  ['1.5', 1.5],
  ['1e-400', 0],
])('%s is read as what it says', (text, value) => {
  expect(readJson(text)).toBe(value);
});

test('a fraction that a double rounds to an integer stays none', () => {
  expect(typeof readJson('1.0000000000000000001')).toBe('number');
  expect(isSame(readJson('1.0000000000000000001'), readJson('1'))).toBe(false);
});

test('what is written is read again, a name that objects have included', () => {
  const text = '{"__proto__":{"a":1},"b":["\\ud800",null,true,1e3]}';
  const value = { ...(JSON.parse('{"__proto__":{"a":1}}') as object), b: ['\ud800', null, true, new Raw('1e3')] };
  expect(writeJson(value)).toBe(text);
  expect(isSame(toJson(value), readJson(text))).toBe(true);
});

const reply = (head: string, body = ''): Buffer => Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`);

test.each([
  ['nothing', Buffer.alloc(0), 'closed without a reply'],
  ['half a head', Buffer.from('HTTP/1.1 200 OK\r\n'), 'no end of its head'],
  ['another protocol', Buffer.from('HTTP/2 200\r\n\r\n'), 'status line'],
  ['a header without a colon', reply('200 OK\r\nX'), 'header'],
  ['a header with white space in its name', reply('200 OK\r\nX A: 1'), 'header'],
  ['no length', reply('200 OK', 'a'), 'Content-Length'],
  ['two lengths', reply('200 OK\r\nContent-Length: 1\r\nContent-Length: 1', 'a'), 'Content-Length'],
  ['a length too large', reply('200 OK\r\nContent-Length: 2', 'a'), 'has 1 bytes'],
  ['a length too small', reply('200 OK\r\nContent-Length: 1', 'ab'), 'has 2 bytes'],
  ['a length and chunks', reply('200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked', 'a'), 'contradicts'],
  ['a chunk without a size', reply('200 OK\r\nTransfer-Encoding: chunked', 'a\r\n'), 'chunk'],
  ['chunks without an end', reply('200 OK\r\nTransfer-Encoding: chunked', '1\r\na\r\n'), 'chunk'],
  ['bytes after the last chunk', reply('200 OK\r\nTransfer-Encoding: chunked', '0\r\n\r\nx'), 'follow the last chunk'],
  ['a body with 204', reply('204 No Content', 'a'), 'has a body'],
])('%s is no reply', (_what, bytes, message) => {
  expect(() => readReply(bytes, 'GET')).toThrow(message);
});

test('replies are read as they are, interim ones passed over', () => {
  const bytes = Buffer.concat([
    reply('100 Continue'),
    reply('200 OK\r\nTransfer-Encoding: chunked', '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'),
  ]);
  expect(readReply(bytes, 'GET')).toMatchObject({ status: 200, body: Buffer.from('abc') });
  expect(readReply(reply('405 No\r\nContent-Length: 9\r\nAllow: A'), 'HEAD').headers).toContainEqual(['allow', 'A']);
});

const base = new URL('https://example.org/v1');
const request = {
  method: 'POST',
  target: '/a?k=${key@uri}',
  headers: [['X-Key', '${key%?}'] as const],
  body: Buffer.from('{"a":"é\'"}'),
};

test('a request has its secrets only when it is sent', () => {
  const bytes = toBytes(request, base, { key: 'a/b' }).toString();
  expect(bytes).toContain('POST /v1/a?k=a%2Fb HTTP/1.1\r\nHost: example.org\r\nX-Key: a/\r\nContent-Length: 11\r\n');
  expect(() => toBytes(request, base, {})).toThrow('no credentials are given for the security scheme key');
});

test('a line for a shell names the variable of a secret', () => {
  expect(toCurl(request, base, { key: 'KEY' })).toBe(
    `curl -i -g --path-as-is -X POST 'https://example.org/v1/a?k='"\${KEY}" -H 'X-Key: '"\${KEY%?}" -H 'Content-Type:' --data-binary $'{"a":"\\xc3\\xa9\\'"}'`,
  );
});
