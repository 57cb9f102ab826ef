import { gzipSync } from 'node:zlib';
import type { Case, Expectation } from '../case';
import type { Body, Content, Operation } from '../contract/model';
import { essenceOf } from '../contract/media-type';
import type { Values } from '../values/variant';
import { findContent, typeOf } from '../wire/content';
import { BOUNDARY } from '../wire/multipart';
import type { Header, WireRequest } from '../wire/request';
import { validRequest } from './valid-request';

/** What Content-Type and Content-Encoding a body may have (RFC 9110 section 8.3 and 8.4). */
export function media(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  return body ? body.contents.flatMap((content) => ofContent(values, operation, body, content)) : [];
}

function ofContent(values: Values, operation: Operation, body: Body, content: Content): Case[] {
  const type = essenceOf(content.mediaType);
  const isFirst = body.contents[0] === content;
  const made = (
    label: string,
    expect: Expectation,
    mediaType: readonly Header[],
    { level, leftOpen, ...change }: Partial<WireRequest> & Latitude = {},
  ): Case => ({
    operation: operation.id,
    class: 'media',
    pointer: body.pointer,
    label: isFirst ? label : `${type}, ${label}`,
    covers: [`${body.pointer} ${content.mediaType}`],
    request: { ...validRequest(values, operation, { content, mediaType }), ...change },
    expect,
    leftOpen,
    ...(level && { level }),
  });
  const full = typeOf({ ...content, mediaType: type });
  const typed = (value: string): Header[] => [['Content-Type', value]];
  // Nobody knows what else is a type that the contract has with parameters.
  if (content.mediaType.includes(';')) {
    return [made('the type as it is declared', 'accepted', typed(typeOf(content)), AT_CONTRACT)];
  }
  const [main = '', sub] = type.split('/');
  if (sub === '*') {
    const outside = 'x-other/x-other';
    return [
      // RFC 9110 section 8.3: a server may look at the body itself, which may be none of this type.
      made('a type of the range', 'accepted', typed(memberOf(main)), { ...AT_CONTRACT, ...LOOKED_AT }),
      ...(isWrong(body, full, outside) ? [made(`the type ${outside}`, 'refused', typed(outside))] : []),
    ];
  }
  const encoded = (coding: string): Header[] => [...typed(full), ['Content-Encoding', coding]];
  const compressed = gzipSync(validRequest(values, operation, { content }).body ?? '');
  return [
    ...rightTypes(type, content).map(([value, latitude]) =>
      made(`the type ${value}`, 'accepted', typed(value), latitude),
    ),
    ...wrongTypes(type, content)
      .filter(([value]) => isWrong(body, full, value))
      .map(([value, latitude]) => made(`the type ${value}`, 'refused', typed(value), latitude)),
    // RFC 9110 section 8.3: a server may look at the body itself.
    made('no type', 'refused', [], { level: 'strict' }),
    made('an empty type', 'refused', typed(''), LOOKED_AT),
    made('the type twice', 'refused', [...typed(type), ...typed(type)], LOOKED_AT),
    made('two types', 'refused', [...typed(type), ...typed('text/html')], LOOKED_AT),
    made('the coding identity', 'accepted', encoded('identity'), { leftOpen: 'RFC 9110 8.4' }),
    // RFC 9110 section 8.4: a server may read it.
    made('the coding gzip', 'refused', encoded('gzip'), { body: compressed, level: 'strict' }),
    made('the coding gzip, not compressed', 'refused', encoded('gzip')),
    made('an unknown coding', 'refused', encoded('what')),
    made('in chunks', 'accepted', typed(full), { framing: 'chunked' }),
    made('in chunks, with a trailer (RFC 9112 7.1.2)', 'accepted', [...typed(full), ['Trailer', 'X-Trailer']], {
      framing: 'chunked',
      trailers: [['X-Trailer', '1']],
      level: 'contract',
    }),
  ];
}

// Another declared type is right, and so is the same one without a charset that is none.
function isWrong({ contents }: Body, type: string, value: string): boolean {
  return value !== type && (essenceOf(value) === essenceOf(type) || !findContent(contents, value));
}

// Servers know these best.
const MEMBERS = new Map([
  ['application', 'octet-stream'],
  ['audio', 'mpeg'],
  ['image', 'png'],
  ['text', 'plain'],
  ['video', 'mp4'],
]);

/** A type of a range, by what stands before its slash. */
function memberOf(main: string): string {
  return main === '*' ? 'application/octet-stream' : `${main}/${MEMBERS.get(main) ?? 'x-member'}`;
}

type Latitude = Pick<Case, 'level' | 'leftOpen'>;

type Typed = readonly [value: string, latitude?: Latitude];

const AT_CONTRACT = { level: 'contract' } as const;
const AT_STRICT = { level: 'strict' } as const;
const LOOKED_AT = { leftOpen: 'RFC 9110 8.3' } as const;
const RECOVERABLE = { leftOpen: 'RFC 9110 2.4' } as const;

// Types have no case (RFC 9110 section 8.3.1), and a charset does nothing to JSON (RFC 8259 section 11); it says nothing
// of bytes.
function rightTypes(type: string, { kind }: Content): Typed[] {
  if (kind === 'multipart')
    return [`${type.toUpperCase()}; boundary=${BOUNDARY}`, `${type}; x=1; Boundary="${BOUNDARY}"`].map((value) => [
      value,
    ]);
  const utf8: Typed = kind === 'json' ? [`${type}; charset=UTF-8`, AT_CONTRACT] : [`${type}; charset=UTF-8`];
  const encoded: Typed[] = [[`${type};charset=utf-8`], utf8, [`${type}; charset="utf-8"`]];
  return [
    [type.toUpperCase(), AT_CONTRACT],
    ...(kind === 'bytes' ? [] : encoded),
    [`${type} ; x=1`],
    [`${type}; x="a;b"`],
  ];
}

function wrongTypes(type: string, { kind }: Content): Typed[] {
  const charsets = ['utf-16', 'utf-7', 'iso-8859-1', 'us-ascii', 'nonsense', 'utf-8x', 'utf-8; charset=utf-16'];
  const types = [
    ...['application/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded'],
    ...['multipart/form-data; boundary=x', 'application/octet-stream', 'application/*', '*/*'],
    ...[`${type}x`, `x${type}`, `${type}+xml`],
  ];
  const several = [`${type}, ${type}`, `text/html, ${type}`];
  const malformed = ['json', 'application', `${type}; charset`, `${type}; =1`, `${type} x`, `"${type}"`];
  const encoded = charsets.map((charset): Typed => {
    const value = `${type}; charset=${charset}`;
    return kind === 'json' ? [value, AT_STRICT] : [value];
  });
  return [
    ...types.map((value): Typed => [value]),
    ...several.map((value): Typed => [value, LOOKED_AT]),
    ...malformed.map((value): Typed => [value, RECOVERABLE]),
    // RFC 2046 section 5.1.1: nobody can tell the parts without their boundary.
    ...(kind === 'multipart' ? [[type] as const, [`${type}; boundary=`] as const] : []),
    ...(kind === 'bytes' || kind === 'multipart' ? [] : encoded),
  ];
}
