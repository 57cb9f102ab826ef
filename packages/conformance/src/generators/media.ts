import { gzipSync } from 'node:zlib';
import type { Case, Expectation } from '../case';
import type { Body, Content, Operation } from '../contract/model';
import { essenceOf } from '../contract/media-type';
import type { Values } from '../values/variant';
import { findContent, typeOf } from '../wire/content';
import { BOUNDARY } from '../wire/multipart';
import type { Header, WireRequest } from '../wire/request';
import { validRequest } from './valid-request';

/** Creates cases with valid and invalid Content-Type and Content-Encoding (RFC 9110 sections 8.3 and 8.4). */
export function createMediaCases(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  return body ? body.contents.flatMap((content) => createCasesOfContent(values, operation, body, content)) : [];
}

function createCasesOfContent(values: Values, operation: Operation, body: Body, content: Content): Case[] {
  const type = essenceOf(content.mediaType);
  const isFirst = body.contents[0] === content;
  const createCase = (
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
  const contentType = (value: string): Header[] => [['Content-Type', value]];
  // No standard says which other parameters match a declared type that has parameters.
  if (content.mediaType.includes(';')) {
    return [createCase('the type as it is declared', 'accepted', contentType(typeOf(content)), AT_CONTRACT)];
  }
  const [main = '', sub] = type.split('/');
  if (sub === '*') {
    const outside = 'x-other/x-other';
    return [
      // RFC 9110 section 8.3: a server may inspect the body, which need not be valid for this type.
      createCase('a type of the range', 'accepted', contentType(typeInRange(main)), { ...AT_CONTRACT, ...LOOKED_AT }),
      ...(isWrong(body, full, outside) ? [createCase(`the type ${outside}`, 'refused', contentType(outside))] : []),
    ];
  }
  const contentEncoding = (coding: string): Header[] => [...contentType(full), ['Content-Encoding', coding]];
  const compressed = gzipSync(validRequest(values, operation, { content }).body ?? '');
  return [
    ...rightTypes(type, content).map(([value, latitude]) =>
      createCase(`the type ${value}`, 'accepted', contentType(value), latitude),
    ),
    ...wrongTypes(type, content)
      .filter(([value]) => isWrong(body, full, value))
      .map(([value, latitude]) => createCase(`the type ${value}`, 'refused', contentType(value), latitude)),
    // RFC 9110 section 8.3: a server may look at the body itself.
    createCase('no type', 'refused', [], { level: 'strict' }),
    createCase('an empty type', 'refused', contentType(''), LOOKED_AT),
    createCase('the type twice', 'refused', [...contentType(type), ...contentType(type)], LOOKED_AT),
    createCase('two types', 'refused', [...contentType(type), ...contentType('text/html')], LOOKED_AT),
    createCase('the coding identity', 'accepted', contentEncoding('identity'), { leftOpen: 'RFC 9110 8.4' }),
    // RFC 9110 section 8.4: a server may support gzip.
    createCase('the coding gzip', 'refused', contentEncoding('gzip'), { body: compressed, level: 'strict' }),
    createCase('the coding gzip, not compressed', 'refused', contentEncoding('gzip')),
    createCase('an unknown coding', 'refused', contentEncoding('what')),
    createCase('in chunks', 'accepted', contentType(full), { framing: 'chunked' }),
    createCase(
      'in chunks, with a trailer (RFC 9112 7.1.2)',
      'accepted',
      [...contentType(full), ['Trailer', 'X-Trailer']],
      {
        framing: 'chunked',
        trailers: [['X-Trailer', '1']],
        level: 'contract',
      },
    ),
  ];
}

// A value is wrong when only its parameters differ from the type, or when no other declared type matches it.
function isWrong({ contents }: Body, type: string, value: string): boolean {
  return value !== type && (essenceOf(value) === essenceOf(type) || !findContent(contents, value));
}

// The subtypes that servers are most likely to know.
const MEMBERS = new Map([
  ['application', 'octet-stream'],
  ['audio', 'mpeg'],
  ['image', 'png'],
  ['text', 'plain'],
  ['video', 'mp4'],
]);

/** A media type that matches the range `main/*`. */
function typeInRange(main: string): string {
  return main === '*' ? 'application/octet-stream' : `${main}/${MEMBERS.get(main) ?? 'x-member'}`;
}

type Latitude = Pick<Case, 'level' | 'leftOpen'>;

type Typed = readonly [value: string, latitude?: Latitude];

const AT_CONTRACT = { level: 'contract' } as const;
const AT_STRICT = { level: 'strict' } as const;
const LOOKED_AT = { leftOpen: 'RFC 9110 8.3' } as const;
const RECOVERABLE = { leftOpen: 'RFC 9110 2.4' } as const;

// Types are case-insensitive (RFC 9110 section 8.3.1), and a charset has no effect on JSON (RFC 8259 section 11) or
// bytes.
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
    // RFC 2046 section 5.1.1: the parts cannot be separated without a boundary.
    ...(kind === 'multipart' ? [[type] as const, [`${type}; boundary=`] as const] : []),
    ...(kind === 'bytes' || kind === 'multipart' ? [] : encoded),
  ];
}
