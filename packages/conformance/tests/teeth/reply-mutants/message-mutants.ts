import { STATUS_CODES } from 'node:http';
import type { Exchange, ReplyMutant } from './exchange';
import { valuesOf } from '../../../src/wire/reply';
import type { Header } from '../../../src/wire/request';
import type { Accepted } from '../proof';

/** Every other final status that HTTP knows. */
export function statusMutants({ reply }: Exchange): ReplyMutant[] {
  return Object.keys(STATUS_CODES)
    .map(Number)
    .filter((status) => status >= 200 && status !== reply.status)
    .map((status) => ({ kind: 'another status', name: String(status), reply: { ...reply, status } }));
}

// Of the connection, or different each time; what frames the body is altered in the bytes.
const OTHERS = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'x-request-id']);

const UNDECLARED: readonly Header[] = [
  ['x-powered-by', 'Express'],
  ['x-debug', '1'],
  ['set-cookie', 'session=1'],
  ['location', '/somewhere'],
  ['content-encoding', 'gzip'],
  ['content-language', 'en'],
  ['x-request-path', '/home/someone/server.js'],
];

/** Headers that are missing, doubled, altered, or not declared. */
export function headerMutants(exchange: Exchange): ReplyMutant[] {
  const { reply } = exchange;
  const own = reply.headers.filter(([name]) => !OTHERS.has(name));
  const undeclared = [...UNDECLARED, ...conditional(exchange)].filter(([name]) => valuesOf(reply, name).length === 0);
  const set = (kind: string, name: string, headers: readonly Header[], accepted?: Accepted): ReplyMutant => ({
    kind,
    name,
    accepted,
    reply: { ...reply, headers },
  });
  return [
    ...own.flatMap(([name, value]) => {
      const rest = reply.headers.filter(([other]) => other !== name);
      const isLeftOut = exchange.case.request.method === 'HEAD' && name === 'content-type';
      const accept = (other: string): Accepted | undefined =>
        exchange.case.expect === 'refused' && withoutError(other) === withoutError(value) ? 'either way' : undefined;
      return [
        set('header dropped', name, rest, isLeftOut ? 'of HEAD' : undefined),
        set('header doubled', name, [...reply.headers, [name, value]]),
        set('header doubled', `${name}, once empty`, [...reply.headers, [name, '']]),
        set('header renamed', name, [...rest, [`x-${name}`, value]]),
        ...alterations(name, value).map((other) =>
          set('header altered', `${name}: ${other}`, [...rest, [name, other]], accept(other)),
        ),
      ];
    }),
    ...undeclared.map((header) => set('header added', header[0], [...reply.headers, header])),
  ];
}

// Headers that belong to one status only.
function conditional({ reply: { status } }: Exchange): Header[] {
  return [
    ...(status === 405 ? [] : [['allow', 'GET'] as const]),
    ...(status === 401 ? [] : [['www-authenticate', 'Bearer realm="x"'] as const]),
    ...(status === 503 ? [] : [['retry-after', '1'] as const]),
  ];
}

function withoutError(value: string): string {
  return value.replace(', error="invalid_token"', '');
}

function alterations(name: string, value: string): string[] {
  const any = ['', `${value}x`, `x${value}`, `${value},`, `${value}, ${value}`, value.slice(0, -1), value.slice(1)];
  const all = [...any, `"${value}"`, value.replace(/[ =;,]/, ''), ...(OF_HEADER[name]?.(value) ?? [])];
  return [...new Set(all)].filter((other) => other !== value);
}

const OF_HEADER: Readonly<Record<string, (value: string) => string[]>> = {
  'content-type': (value) => [
    ...[`${value}; charset=utf-8`, `${value};charset=utf-8`, `${value}; charset=iso-8859-1`, `${value};`],
    ...[value.toUpperCase(), 'text/html', 'text/plain', 'application/problem+json', 'text/json', '*/*', 'json'],
  ],
  allow: (value) => [`${value}, GET, HEAD`, `${value}, OPTIONS`, 'GET', '*', value.toLowerCase(), `${value} GET`],
  'www-authenticate': (value) => [
    ...['Bearer', 'Basic realm="x"', 'Digest realm="x"', 'realm="x"', `${value}, error="insufficient_scope"`],
    ...(value.includes('error=')
      ? [value.replace(/, error="[^"]*"/, ''), value.replace('invalid_token', 'invalid_request')]
      : [`${value}, error="invalid_token"`]),
    ...[value.replaceAll('"', ''), value.replaceAll('"', "'"), value.replace('=', ':'), `${value}, error=""`],
  ],
  'retry-after': () => ['soon', '-1', '1.5', '1e3', '0x1', '01', '1.0', 'true', '1 s', 'null'],
};

/** The bytes of the reply themselves: its head, how the end of the body is told, and the end of it all. */
export function wireMutants({ bytes, reply, case: one }: Exchange): ReplyMutant[] {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end).toString('latin1');
  const { body } = reply;
  const made = (kind: string, name: string, ...parts: readonly (string | Buffer)[]): ReplyMutant => ({
    kind,
    name,
    reply: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))),
  });
  const heads = [...STATUS_LINES, ...HEADER_LINES].map(([name, change]) => [name, change(head)] as const);
  return [
    ...heads
      .filter(([, changed]) => changed !== head)
      .map(([name, changed]) => ({
        ...made('head malformed', name, changed, '\r\n\r\n', body),
        accepted: one.request.method === 'HEAD' && OF_HEAD.has(name) ? ('of HEAD' as const) : undefined,
      })),
    ...cuts(bytes.length).map((length) =>
      made('connection cut', `at byte ${String(length)}`, bytes.subarray(0, length)),
    ),
    made('bytes added', 'in front', 'x', bytes),
    made('bytes added', 'a line in front', '\r\n', bytes),
    made('bytes added', 'at the end', bytes, 'x'),
    made('bytes added', 'a line at the end', bytes, '\r\n'),
    made('bytes added', 'the reply again', bytes, bytes),
    made('bytes added', 'an interim reply and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n'),
    ...(one.request.method === 'HEAD' ? [] : framings(head, body, made)),
  ];
}

const OF_HEAD = new Set([
  'no Content-Length',
  'a Content-Length of one more',
  'a Content-Length of one less',
  'a Content-Length of zero',
]);

type Line = readonly [name: string, change: (head: string) => string];

const STATUS_LINES: readonly Line[] = [
  ['HTTP/1.0', (head) => head.replace('HTTP/1.1', 'HTTP/1.0')],
  ['HTTP/2', (head) => head.replace('HTTP/1.1', 'HTTP/2')],
  ['no version', (head) => head.replace('HTTP/1.1 ', '')],
  ['a version in lower case', (head) => head.replace('HTTP', 'http')],
  ['no status', (head) => head.replace(/ \d{3}/, '')],
  ['a status of two digits', (head) => head.replace(/ (\d\d)\d/, ' $1')],
  ['a status of four digits', (head) => head.replace(/ (\d{3})/, ' $10')],
  ['a status of letters', (head) => head.replace(/ \d{3}/, ' abc')],
  ['two spaces', (head) => head.replace(' ', '  ')],
  ['a control in the phrase', (head) => head.replace('\r\n', '\u0001\r\n')],
];

const HEADER_LINES: readonly Line[] = [
  ['lines that end in LF', (head) => head.replaceAll('\r\n', '\n')],
  ['a bare CR', (head) => head.replace(/: (\w)/, ': \r$1')],
  ['a header without a colon', (head) => head.replace(/\r\n([\w-]+):/, '\r\n$1')],
  ['white space before the colon', (head) => head.replace(/\r\n([\w-]+):/, '\r\n$1 :')],
  ['a header without a name', (head) => head.replace(/\r\n[\w-]+:/, '\r\n:')],
  ['a folded line', (head) => `${head}\r\n folded`],
  ['a NUL in a value', (head) => head.replace(/: (\w)/, ': \0$1')],
  ['a control in a value', (head) => head.replace(/: (\w)/, ': \u0007$1')],
  ['a space in a name', (head) => head.replace(/\r\n(\w)/, '\r\n$1 ')],
  ['no Content-Length', (head) => head.replace(/\r\nContent-Length: \d+/i, '')],
  ['a Content-Length of one more', relength((length) => String(length + 1))],
  ['a Content-Length of one less', relength((length) => String(length - 1))],
  ['a Content-Length of zero', relength(() => '0')],
  ['a negative Content-Length', relength((length) => `-${String(length)}`)],
  ['a Content-Length with a sign', relength((length) => `+${String(length)}`)],
  ['a hexadecimal Content-Length', relength((length) => `0x${length.toString(16)}`)],
  ['a Content-Length with a fraction', relength((length) => `${String(length)}.0`)],
  ['a Content-Length that is empty', relength(() => '')],
  ['a Content-Length that is a list', relength((length) => `${String(length)}, ${String(length)}`)],
  ['the Content-Length twice', relength((length) => `${String(length)}\r\nContent-Length: ${String(length)}`)],
  ['two Content-Lengths', relength((length) => `${String(length)}\r\nContent-Length: ${String(length + 1)}`)],
  ['chunks as well', (head) => `${head}\r\nTransfer-Encoding: chunked`],
];

function relength(change: (length: number) => string): Line[1] {
  return (head) =>
    head.replace(/(Content-Length: )(\d+)/i, (_all, name: string, length: string) => name + change(Number(length)));
}

function cuts(length: number): number[] {
  return Array.from({ length: 12 }, (_unused, index) => Math.floor((length * index) / 12)).concat(length - 1);
}

function framings(
  head: string,
  body: Buffer,
  made: (kind: string, name: string, ...parts: readonly (string | Buffer)[]) => ReplyMutant,
): ReplyMutant[] {
  const size = body.length.toString(16);
  const coded = (coding: string): string =>
    `${head.replace(/\r\nContent-Length: \d+/i, '')}\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
  const chunks: readonly (readonly [name: string, ...parts: (string | Buffer)[]])[] = [
    ['no last chunk', `${size}\r\n`, body, '\r\n'],
    ['a last chunk cut short', `${size}\r\n`, body, '\r\n0\r\n'],
    ['a size of one more', `${(body.length + 1).toString(16)}\r\n`, body, '\r\n0\r\n\r\n'],
    ['a size of one less', `${(body.length - 1).toString(16)}\r\n`, body, '\r\n0\r\n\r\n'],
    ['a size of letters', 'xyz\r\n', body, '\r\n0\r\n\r\n'],
    ['no size', '\r\n', body, '\r\n0\r\n\r\n'],
    ['a negative size', `-${size}\r\n`, body, '\r\n0\r\n\r\n'],
    ['a size with a prefix', `0x${size}\r\n`, body, '\r\n0\r\n\r\n'],
    ['no line break after a chunk', `${size}\r\n`, body, '0\r\n\r\n'],
    ['lines that end in LF', `${size}\n`, body, '\n0\n\n'],
    ['bytes after the last chunk', `${size}\r\n`, body, '\r\n0\r\n\r\nx'],
    ['no chunks at all', body],
    ['only the last chunk', '0\r\n\r\n'],
  ];
  const whole = [`${size}\r\n`, body, '\r\n0\r\n\r\n'] as const;
  return [
    ...chunks.map(([name, ...parts]) => made('chunks malformed', name, coded('chunked'), ...parts)),
    ...[
      'gzip',
      'identity',
      'gzip, chunked',
      'chunked, chunked',
      'chunked\r\nTransfer-Encoding: chunked',
      'xchunked',
    ].map((coding) => made('transfer coding', JSON.stringify(coding), coded(coding), ...whole)),
  ];
}
