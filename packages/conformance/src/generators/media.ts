// Creates cases with other Content-Type and Content-Encoding headers.
import { gzipSync } from 'node:zlib';
import { changeRequest, type Change, type Draft, type Expectation } from './case';
import type { Body, Content, Operation } from '../contract/model';
import { essenceOf } from '../wire/media-type';
import type { Values } from '../values/variant';
import { findContent, contentTypeOf, MULTIPART_BOUNDARY } from '../contract/serialization';
import type { Header } from '../wire/request';
import { validRequest } from './valid-request';

/** Creates cases with valid and invalid Content-Type and Content-Encoding (RFC 9110 sections 8.3 and 8.4). */
export function createMediaCases(values: Values, operation: Operation): Draft[] {
  const { body } = operation;
  return body ? body.contents.flatMap((content) => createCasesOfMediaType(values, operation, body, content)) : [];
}

// The label of a case, what it expects, its headers about the body, and what else is special about it.
type Row = readonly [label: string, expect: Expectation, contentType: readonly Header[], options?: Change];

function createCasesOfMediaType(values: Values, operation: Operation, body: Body, content: Content): Draft[] {
  const labelStart = body.contents[0] === content ? '' : `${essenceOf(content.mediaType)}, `;
  const { body: validBody } = validRequest(values, operation, { content });
  return createRows(body, content, validBody, operation).map(([label, expect, contentType, options]) => {
    const request = validRequest(values, operation, { content, contentType });
    return changeRequest(body.pointer, `${labelStart}${label}`, request, { expect, ...options });
  });
}

function createRows(body: Body, content: Content, validBody: Buffer | undefined, { method }: Operation): Row[] {
  // The media type without parameters such as charset.
  const type = essenceOf(content.mediaType);
  // A multipart type needs its boundary.
  const sendableType = contentTypeOf({ ...content, mediaType: type });
  // No standard says which other parameters match a declared type that has parameters: send only that one.
  if (content.mediaType.includes(';')) {
    return [['the declared type', 'accepted', contentTypes(contentTypeOf(content)), AT_EVERY_LEVEL]];
  }
  const [mainType = '', subtype] = type.split('/');
  if (subtype === '*') {
    const typeOutsideRange = 'x-other/x-other';
    const outside: Row = [`the type ${typeOutsideRange}`, 'refused', contentTypes(typeOutsideRange)];
    // A server may inspect the body, which need not be valid for this type.
    const latitude = { ...AT_EVERY_LEVEL, ...SERVER_MAY_INSPECT_BODY };
    return [
      ['a type in the range', 'accepted', contentTypes(typeInRange(mainType)), latitude],
      ...(isWrongType(body, sendableType, typeOutsideRange) ? [outside] : []),
    ];
  }
  const refusedTypes = wrongTypes(type, content).filter(([value]) => isWrongType(body, sendableType, value));
  const toRow = ([value, latitude = {}]: SentType, expect: Expectation): Row => [
    `the type ${value}`,
    expect,
    contentTypes(value),
    latitude,
  ];
  const codings = (coding: string): Header[] => [...contentTypes(sendableType), ['Content-Encoding', coding]];
  const withTrailer: readonly Header[] = [...contentTypes(sendableType), ['Trailer', 'X-Trailer']];
  const trailer = { framing: 'chunked', trailers: [['X-Trailer', '1']], level: 'contract' } as const;
  return [
    ...equivalentTypes(type, content).map((sent) => toRow(sent, 'accepted')),
    ...refusedTypes.map((sent) => toRow(sent, 'refused')),
    // RFC 9110 section 8.3: a server may look at the body itself, unless the method is QUERY (RFC 10008 section 2).
    ['no Content-Type', 'refused', [], { level: method === 'QUERY' ? 'contract' : 'strict' }],
    ['an empty Content-Type', 'refused', contentTypes(''), SERVER_MAY_INSPECT_BODY],
    ['the Content-Type twice', 'refused', contentTypes(type, type), SERVER_MAY_INSPECT_BODY],
    ['two Content-Types', 'refused', contentTypes(type, 'text/html'), SERVER_MAY_INSPECT_BODY],
    ['the coding identity', 'accepted', codings('identity'), { implementationDefined: 'RFC 9110 8.4' }],
    // RFC 9110 section 8.4: a server may support gzip; that it refuses it is a convention.
    ['the coding gzip', 'refused', codings('gzip'), { body: gzipSync(validBody ?? ''), level: 'strict' }],
    ['the coding gzip, not compressed', 'refused', codings('gzip')],
    ['an unknown coding', 'refused', codings('what')],
    // Streams are sent so.
    [
      'chunked',
      'accepted',
      contentTypes(sendableType),
      { framing: 'chunked', ...(content.kind === 'sequence' && AT_EVERY_LEVEL) },
    ],
    ['chunked, with a trailer (RFC 9112 7.1.2)', 'accepted', withTrailer, trailer],
  ];
}

function contentTypes(...values: readonly string[]): Header[] {
  return values.map((value) => ['Content-Type', value]);
}

/** Whether a Content-Type is wrong: only its parameters differ from the right type, or no declared type matches it. */
function isWrongType({ contents }: Body, rightType: string, sentType: string): boolean {
  if (sentType === rightType) return false;
  return essenceOf(sentType) === essenceOf(rightType) || !findContent(contents, sentType);
}

// The subtypes that servers are most likely to know.
const KNOWN_SUBTYPES = new Map([
  ['application', 'octet-stream'],
  ['audio', 'mpeg'],
  ['image', 'png'],
  ['text', 'plain'],
  ['video', 'mp4'],
]);

function typeInRange(mainType: string): string {
  return mainType === '*' ? 'application/octet-stream' : `${mainType}/${KNOWN_SUBTYPES.get(mainType) ?? 'x-member'}`;
}

type Latitude = Pick<Draft, 'level' | 'implementationDefined'>;

type SentType = readonly [value: string, latitude?: Latitude];

const AT_EVERY_LEVEL = { level: 'contract' } as const;
const AT_STRICT_ONLY = { level: 'strict' } as const;
// RFC 9110 section 8.3: a server may look at the body itself, and then accept it.
const SERVER_MAY_INSPECT_BODY = { implementationDefined: 'RFC 9110 8.3' } as const;
// RFC 9110 section 2.4: a server may guess what is meant.
const SERVER_MAY_RECOVER = { implementationDefined: 'RFC 9110 2.4' } as const;

// Types are case-insensitive (RFC 9110 section 8.3.1), and a charset has no effect on JSON (RFC 8259 section 11): these
// count at every level.
function equivalentTypes(type: string, { kind }: Content): SentType[] {
  if (kind === 'multipart')
    return [
      [`${type.toUpperCase()}; boundary=${MULTIPART_BOUNDARY}`],
      [`${type}; x=1; Boundary="${MULTIPART_BOUNDARY}"`],
    ];
  const utf8InCapitals = `${type}; charset=UTF-8`;
  const withCharset: SentType[] = [
    [`${type};charset=utf-8`],
    kind === 'json' ? [utf8InCapitals, AT_EVERY_LEVEL] : [utf8InCapitals],
    [`${type}; charset="utf-8"`],
  ];
  return [
    [type.toUpperCase(), AT_EVERY_LEVEL],
    // Bytes have no charset.
    ...(kind === 'bytes' ? [] : withCharset),
    [`${type} ; x=1`],
    [`${type}; x="a;b"`],
  ];
}

/**
 * Types that a server should refuse for a body of `type`; the caller leaves out those that the contract declares too. The
 * clause of a standard is given where it lets a server accept one (`SERVER_MAY_...`).
 */
function wrongTypes(type: string, { kind }: Content): SentType[] {
  const otherTypes = [
    ...['application/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded'],
    ...['multipart/form-data; boundary=x', 'application/octet-stream', 'application/*', '*/*'],
    ...[`${type}x`, `x${type}`, `${type}+xml`],
  ];
  // The header has one type. A server that gets several may look at the body to find the right one.
  const lists = [`${type}, ${type}`, `text/html, ${type}`];
  const malformed = ['json', 'application', `${type}; charset`, `${type}; =1`, `${type} x`, `"${type}"`];
  // The body is UTF-8: a server that accepts another charset reads another text.
  const charsets = ['utf-16', 'utf-7', 'iso-8859-1', 'us-ascii', 'nonsense', 'utf-8x', 'utf-8; charset=utf-16'];
  // On JSON a charset has no effect (RFC 8259 section 11), nor on sequences: that a server refuses another is a convention.
  const withCharset = charsets.map((charset): SentType => {
    const value = `${type}; charset=${charset}`;
    return kind === 'json' || kind === 'sequence' ? [value, AT_STRICT_ONLY] : [value];
  });
  return [
    ...otherTypes.map((value): SentType => [value]),
    ...lists.map((value): SentType => [value, SERVER_MAY_INSPECT_BODY]),
    ...malformed.map((value): SentType => [value, SERVER_MAY_RECOVER]),
    // RFC 2046 section 5.1.1: the parts cannot be separated without a boundary.
    ...(kind === 'multipart' ? [[type] as const, [`${type}; boundary=`] as const] : []),
    // Bytes have no charset, and neither has a multipart as a whole.
    ...(kind === 'bytes' || kind === 'multipart' ? [] : withCharset),
  ];
}
