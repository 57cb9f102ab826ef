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
    .map((status) => ({
      kind: 'another status',
      name: String(status),
      accepted: reply.status >= 400 && [408, 431].includes(status) ? 'of HTTP' : undefined,
      reply: { ...reply, status },
    }));
}

// Of the connection, different each time, or in no contract; what frames the body, wire.slow.test.ts tries.
const OTHERS = new Set([
  ...['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'x-request-id'],
  'x-content-type-options',
]);

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
  'retry-after': () => [
    'soon',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    '01',
    '1.0',
    'true',
    '1 s',
    'null',
    'Thu, 29 Feb 2024 12:00:00 GMT',
  ],
};
