import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { measureCpu } from './measure-cpu';
import { titleOf } from '../src/generators/case';
import { toSafeLine } from '../src/report/failure';
import { createSuite } from '../src/suite';
import { redact, revealSecrets, secretOf } from '../src/wire/secret';
import { isSame, readJson, Raw, toJson, writeJson } from '../src/wire/json';
import { isJsonType } from '../src/wire/media-type';
import { readReply, ReplyReader } from '../src/wire/reply';
import { toBytes } from '../src/wire/request';
import { toCurl } from '../src/wire/curl';

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
  ['999999999999999', 999_999_999_999_999n],
  ['-99999999999999.0', -99_999_999_999_999n],
  ['0.0000000000001', 1e-13],
  ['-0.0', 0n],
])('%s is read as what it says', (text, value) => {
  expect(readJson(text)).toBe(value);
});

test('JSON that is nested more than 1000 levels deep is not read, and brackets in its texts do not count', () => {
  const nest = (levels: number): string =>
    `${'[{"a":'.repeat(levels / 2)}"\\"${'['.repeat(2_000)}"${'}]'.repeat(levels / 2)}`;
  expect(() => readJson(nest(1_000))).not.toThrow();
  expect(() => readJson(nest(1_002))).toThrow('it is nested more than 1000 levels deep');
});

test('a number of three million digits is read as one that is too large', () => {
  expect(readJson('9'.repeat(3_000_000))).toBe(Infinity);
});

test('a fraction that a double rounds to an integer is not an integer', () => {
  expect(typeof readJson('1.0000000000000000001')).toBe('number');
  expect(isSame(readJson('1.0000000000000000001'), readJson('1'))).toBe(false);
});

test('what is written is read again, a name that objects have included', () => {
  const text = '{"__proto__":{"a":1},"b":["\\ud800",null,true,1e3]}';
  const value = { ...(JSON.parse('{"__proto__":{"a":1}}') as object), b: ['\ud800', null, true, new Raw('1e3')] };
  expect(writeJson(value)).toBe(text);
  expect(isSame(toJson(value), readJson(text))).toBe(true);
});

test.each([
  ['application/json', true],
  ['application/vnd.a!b+json', true],
  ['x/+json', true],
  ['text/json', false],
  ['application/*+json', false],
])('whether %s is JSON: %s', (type, isJson) => {
  expect(isJsonType(type)).toBe(isJson);
});

const reply = (head: string, body = ''): Buffer => Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`);

test.each([
  ['nothing', Buffer.alloc(0), 'without a response'],
  ['half a head', Buffer.from('HTTP/1.1 200 OK\r\n'), 'ends within its head'],
  ['another protocol', Buffer.from('HTTP/2 200\r\n\r\n'), 'status line'],
  ['a status of four digits', reply('2000 OK'), 'status line'],
  ['a header without a colon', reply('200 OK\r\nX'), 'header'],
  ['a header with white space in its name', reply('200 OK\r\nX A: 1'), 'header'],
  ['two lengths', reply('200 OK\r\nContent-Length: 1\r\nContent-Length: 1', 'a'), 'Content-Length'],
  ['a length too large', reply('200 OK\r\nContent-Length: 2', 'a'), 'has 1 bytes'],
  ['a length too small', reply('200 OK\r\nContent-Length: 1', 'ab'), '1 bytes follow'],
  ['a length and chunks', reply('200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked', 'a'), 'contradict'],
  ['a chunk without a size', reply('200 OK\r\nTransfer-Encoding: chunked', 'a\r\n'), 'chunk'],
  ['chunks without an end', reply('200 OK\r\nTransfer-Encoding: chunked', '1\r\na\r\n'), 'chunk'],
  ['a chunk longer than its size', reply('200 OK\r\nTransfer-Encoding: chunked', '1\r\nab\r\n0\r\n\r\n'), 'chunk'],
  ['a chunk of a negative size', reply('200 OK\r\nTransfer-Encoding: chunked', '-1\r\na\r\n0\r\n\r\n'), 'chunk'],
  ['bytes after the last chunk', reply('200 OK\r\nTransfer-Encoding: chunked', '0\r\n\r\nx'), '1 bytes follow'],
  ['a body with 204', reply('204 No Content', 'a'), '1 bytes follow'],
])('%s is no reply', (_what, bytes, message) => {
  expect(() => readReply(bytes, 'GET')).toThrow(message);
});

test.each(['-1', '+1', '0x1', '1.0', '1, 1'])('the length %s is malformed', (length) => {
  expect(() => readReply(reply(`200 OK\r\nContent-Length: ${length}`, 'a'), 'GET')).toThrow('Content-Length');
});

test.each(['gzip', 'identity', 'gzip, chunked', 'chunked, chunked', 'xchunked'])(
  'the coding %s is refused',
  (coding) => {
    expect(() => readReply(reply(`200 OK\r\nTransfer-Encoding: ${coding}`, '0\r\n\r\n'), 'GET')).toThrow('contradict');
  },
);

test('without a length, the end of the connection is the end of the body', () => {
  expect(readReply(reply('200 OK', 'a'), 'GET').body.toString()).toBe('a');
});

test('replies are read as they are, interim ones passed over', () => {
  const bytes = Buffer.concat([
    reply('100 Continue'),
    reply('200 OK\r\nTransfer-Encoding: chunked', '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'),
  ]);
  expect(readReply(bytes, 'GET')).toMatchObject({ status: 200, body: Buffer.from('abc') });
  expect(readReply(reply('405 No\r\nContent-Length: 9\r\nAllow: A'), 'HEAD').headers).toContainEqual(['allow', 'A']);
});

// Each was read in time that grows with the square of its length, or faster.
test.each([
  ['blanks before what no header may have', `X: ${' '.repeat(1_500)}\x01`],
  ['blanks within a header', `X: x${' '.repeat(30_000)}y`],
])('a head with %s is read in about the time of any other of its length', (_what, header) => {
  const tryToRead = (bytes: Buffer): void => {
    try {
      readReply(bytes, 'GET');
    } catch {
      // A header is malformed.
    }
  };
  const readOften = (line: string): number => {
    const bytes = reply(`200 OK\r\n${line}\r\nContent-Length: 0`);
    return measureCpu(() => {
      for (let count = 0; count < 10; count++) tryToRead(bytes);
    });
  };
  expect(readOften(header)).toBeLessThan(50 * readOften(`X: ${'x'.repeat(30_000)}`));
});

test('a reply that arrives chunk by chunk takes about the time of one that arrives at once', () => {
  const bytes = reply('200 OK\r\nTransfer-Encoding: chunked', `${'1\r\na\r\n'.repeat(10_000)}0\r\n\r\n`);
  const reader = new ReplyReader('GET');
  const atOnce = measureCpu(() => readReply(bytes, 'GET'));
  const inParts = measureCpu(() => {
    for (let size = 1; size < bytes.length; size += 3) expect(reader.findEnd(bytes.subarray(0, size))).toBeUndefined();
  });
  expect(reader.findEnd(bytes)).toBe(bytes.length);
  expect(inParts).toBeLessThan(100 * atOnce);
});

test('a hundred interim replies are passed over, and more are a mistake', () => {
  const [interim, last] = ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 204 No Content\r\n\r\n'];
  expect(readReply(Buffer.from(interim.repeat(100) + last), 'GET').status).toBe(204);
  const endless = Buffer.from(interim.repeat(20_000));
  expect(() => readReply(endless, 'GET')).toThrow('more than 100 interim responses precede the response');
});

const base = new URL('https://example.org/v1');
const request = {
  method: 'POST',
  target: `/a?k=${secretOf('my.key-1', 'uri')}`,
  headers: [['X-Key', secretOf('my.key-1', 'plain', 'without its last character')] as const],
  body: Buffer.from('{"a":"é\'"}'),
};

test('a request has its secrets only when it is sent', () => {
  const bytes = toBytes(request, base, { 'my.key-1': 'a/b' }).toString();
  expect(bytes).toContain(
    'POST /v1/a?k=%61%2f%62 HTTP/1.1\r\nHost: example.org\r\nX-Key: a/\r\nContent-Length: 11\r\n',
  );
  expect(() => toBytes(request, base, {})).toThrow('no credentials are given for the security scheme my.key-1');
});

test('a line for a shell names the variable of a secret', () => {
  expect(toCurl(request, base, { 'my.key-1': 'KEY' })).toBe(
    [
      `curl -i -g --path-as-is -X POST 'https://example.org/v1/a?k='`,
      `"$(printf %s "\${KEY}" | od -An -v -tx1 | tr -d '\\n' | tr ' ' %)"`,
      ` -H 'X-Key: '"\${KEY%?}" -H 'Content-Type:' --data-binary '{"a":"é'\\''"}'`,
    ].join(''),
  );
});

test('no form of a secret stays in a text', () => {
  const secrets = { a: 'User:pass-Word9' };
  const basic = secretOf('a', 'base64', 'with one character more');
  const texts = [
    'User:pass-Word9',
    'user:pass-word9',
    'pass-Word9',
    'User%3Apass-Word9',
    revealSecrets(basic, secrets),
  ];
  for (const text of texts) expect(redact(`<${text}>`, secrets)).toBe('<***>');
  expect(redact('nothing of it', secrets)).toBe('nothing of it');
});

test('what a server said is shown on one line, without what steers a terminal', () => {
  const said = '\x1b[2J\n::error::x\u202e\u0085';
  expect(toSafeLine(said, {})).toBe('\\u{1b}[2J\\u{a}::error::x\\u{202e}\\u{85}');
  expect(toSafeLine(`${'x'.repeat(295)}secret-token`, { a: 'secret-token' })).toBe(`${'x'.repeat(295)}***`);
});

// Only for a request that never is what it should be.
const PATIENCE_MS = 60_000;

/** Takes a request, and answers it when it is as it should be. */
async function listen(): Promise<AsyncDisposable & { readonly url: URL; readonly take: Take }> {
  let isWhole: (taken: Buffer) => boolean = () => false;
  let received: Buffer[] = [];
  const server = createServer((socket) => {
    received = [];
    const end = (): void => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    const timer = setTimeout(end, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (isWhole(Buffer.concat(received))) end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`),
    async take(line, env, isSame) {
      isWhole = isSame;
      const shell = line.endsWith(' #needs-bash') ? 'bash' : 'sh';
      await promisify(execFile)(shell, ['-c', line], { env: { PATH: process.env['PATH'], ...env } }).catch(
        () => undefined,
      );
      return isSame(Buffer.concat(received));
    },
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done));
    },
  };
}

/** Whether a line for a shell sends a request that is as it should be. */
type Take = (line: string, env: Record<string, string>, isSame: (taken: Buffer) => boolean) => Promise<boolean>;

test('a line for a shell sends the bytes of the case', async () => {
  await using server = await listen();
  const suite = createSuite(readFileSync('packages/test-support/fixtures/keywords.yaml', 'utf8'), {
    marker: 'text',
    level: 'robust',
  });
  const picked = suite.cases.filter(
    (one) => ['malformed', 'media-type', 'auth'].includes(one.class) && one.request.isHalfClosed !== true,
  );
  const secrets = { token: 'Se/cret=' };
  const wrong: string[] = [];
  const empty = suite.cases.filter(({ request: { body } }) => body?.length === 0);
  expect(empty).not.toEqual([]);
  const heads = picked.filter(({ request: { changeHead } }) => changeHead);
  const [plain] = suite.cases.filter(({ request: { body } }) => body !== undefined);
  // Of more than a short argument, of a file's name, of bytes that are not text, and of all bytes.
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const bodies = [
    `--a\r\n"'%\\${'-b'.repeat(2_000)}`,
    '@/etc/hostname',
    "it's\u00e9 \u{1f33a} e\u0301",
    '\ta\n',
    bytes,
  ];
  const others = bodies.flatMap((body) =>
    plain ? [{ ...plain, request: { ...plain.request, body: Buffer.from(body) } }] : [],
  );
  expect(others).toHaveLength(bodies.length);
  for (const one of [
    ...picked.filter((_one, index) => index % 15 === 0),
    ...empty.slice(0, 1),
    ...others,
    ...heads.slice(0, 2),
  ]) {
    const line = toCurl(one.request, server.url, { token: 'TOKEN' });
    const sent = toBytes(one.request, server.url, secrets);
    const isSame = await server.take(line, { TOKEN: secrets.token }, (taken) => isSameRequest(taken, sent));
    if (!isSame) wrong.push(titleOf(one));
  }
  expect(wrong).toEqual([]);
  expect(picked.length).toBeGreaterThan(100);
});

// curl has a head of its own, and chunks; what the case is about has to be there all the same.
function isSameRequest(taken: Buffer, sent: Buffer): boolean {
  const [head = '', body = ''] = taken.toString('latin1').split(/\r\n\r\n([^]*)/, 2);
  const [wantedHead = '', wantedBody = ''] = sent.toString('latin1').split(/\r\n\r\n([^]*)/, 2);
  const lines = wantedHead.split('\r\n').filter((line) => !/^(?:Connection|Content-Length|Host):/.test(line));
  const isSameBody = body === wantedBody || /^Transfer-Encoding: chunked/m.test(wantedHead);
  return lines.every((line) => head.split('\r\n').includes(line)) && isSameBody;
}

test.each([
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n'],
  ['extensions of chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\n\r\n'],
])('a reply with %s is read', (_what, text) => {
  const bytes = Buffer.from(text);
  expect(readReply(bytes, 'GET')).toMatchObject({ status: 200, body: Buffer.from('ok') });
  expect(new ReplyReader('GET').findEnd(bytes.subarray(0, -2))).toBeUndefined();
});
