// Varies the Content-Type and Content-Encoding headers (RFC 9110 sections 8.3 and 8.4).
import { gzipSync } from 'node:zlib';
import { changeRequest, type Change, type Draft } from './case';
import type { Body, Content, Operation } from '../contract/model';
import { essenceOf } from '../wire/media-type';
import type { Values } from '../values/variant';
import { findContent, contentTypeOf, MULTIPART_BOUNDARY } from '../contract/serialization';
import type { Header } from '../wire/request';
import { validRequest } from './valid-request';

export function createMediaCases(values: Values, operation: Operation): Draft[] {
  const { body } = operation;
  return body ? body.contents.flatMap((content) => createCasesOfMediaType(values, operation, body, content)) : [];
}

/** Headers that describe the body. The case expects a refusal unless `change` has another expectation. */
type HeaderRow = readonly [label: string, headers: readonly Header[], change?: Change];

function createCasesOfMediaType(values: Values, operation: Operation, body: Body, content: Content): Draft[] {
  const labelStart = body.contents[0] === content ? '' : `${essenceOf(content.mediaType)}, `;
  const { body: validBody } = validRequest(values, operation, { content });
  return createRows(body, content, validBody, operation).map(([label, contentType, change = {}]) => {
    const request = validRequest(values, operation, { content, contentType });
    return changeRequest(body.pointer, `${labelStart}${label}`, request, change);
  });
}

const ACCEPTED = { expect: 'accepted' } as const;
const AT_EVERY_LEVEL = { level: 'contract' } as const;
const MAY_INSPECT_BODY = { implementationDefined: 'RFC 9110 8.3' } as const;
const MAY_RECOVER = { implementationDefined: 'RFC 9110 2.4' } as const;

function createRows(body: Body, content: Content, validBody: Buffer | undefined, { method }: Operation): HeaderRow[] {
  const type = essenceOf(content.mediaType);
  const sendableType = contentTypeOf({ ...content, mediaType: type });
  // No standard says whether other parameters match a declared type that has parameters.
  if (content.mediaType.includes(';'))
    return [['the declared type', contentTypes(contentTypeOf(content)), { ...ACCEPTED, ...AT_EVERY_LEVEL }]];
  const refuse = (types: readonly string[], change?: Change): HeaderRow[] =>
    toRows(
      types.filter((value) => isWrongType(body, sendableType, value)),
      change,
    );
  const [mainType = '', subtype] = type.split('/');
  if (subtype === '*') {
    // The server may inspect the body, which may be invalid for this type.
    const change = { ...ACCEPTED, ...AT_EVERY_LEVEL, ...MAY_INSPECT_BODY };
    return [['a type in the range', contentTypes(chooseTypeInRange(mainType)), change], ...refuse(['x-other/x-other'])];
  }
  const addCoding = (coding: string): Header[] => [...contentTypes(sendableType), ['Content-Encoding', coding]];
  const chunkedChange = { ...ACCEPTED, framing: 'chunked' } as const;
  return [
    ...equivalentRows(type, content),
    ...listWrongTypes(type, content).flatMap(([types, change]) => refuse(types, change)),
    // RFC 9110 section 8.3 lets a server inspect the body; RFC 10008 section 2 forbids that for QUERY.
    ['no Content-Type', [], method === 'QUERY' ? AT_EVERY_LEVEL : MAY_INSPECT_BODY],
    ['the coding gzip', addCoding('gzip'), { body: gzipSync(validBody ?? ''), implementationDefined: 'RFC 9110 8.4' }],
    ['the coding gzip, not compressed (RFC 9110 8.4)', addCoding('gzip')],
    ['an unknown coding', addCoding('what')],
    ['chunked', contentTypes(sendableType), { ...chunkedChange, ...(content.kind === 'sequence' && AT_EVERY_LEVEL) }],
    [
      'chunked, with a trailer (RFC 9112 7.1.2)',
      [...contentTypes(sendableType), ['Trailer', 'X-Trailer']],
      { ...chunkedChange, ...AT_EVERY_LEVEL, trailers: [['X-Trailer', '1']] },
    ],
  ];
}

function contentTypes(...values: readonly string[]): Header[] {
  return values.map((value) => ['Content-Type', value]);
}

function toRows(types: readonly string[], change: Change = {}): HeaderRow[] {
  return types.map((type) => [`the type ${type}`, contentTypes(type), change]);
}

/** Whether the sent type matches no declared type, or differs from the right one only in its parameters. */
function isWrongType({ contents }: Body, rightType: string, sentType: string): boolean {
  if (sentType === rightType) return false;
  return essenceOf(sentType) === essenceOf(rightType) || !findContent(contents, sentType);
}

const KNOWN_SUBTYPES = new Map([
  ['application', 'octet-stream'],
  ['audio', 'mpeg'],
  ['image', 'png'],
  ['text', 'plain'],
  ['video', 'mp4'],
]);

function chooseTypeInRange(mainType: string): string {
  return mainType === '*' ? 'application/octet-stream' : `${mainType}/${KNOWN_SUBTYPES.get(mainType) ?? 'x-member'}`;
}

// Types are case-insensitive (RFC 9110 section 8.3.1), and JSON ignores the charset (RFC 8259 section 11).
function equivalentRows(type: string, { kind }: Content): HeaderRow[] {
  if (kind === 'multipart') {
    const boundary = MULTIPART_BOUNDARY;
    return toRows([`${type.toUpperCase()}; boundary=${boundary}`, `${type}; x=1; Boundary="${boundary}"`], ACCEPTED);
  }
  const upperCharset = `${type}; charset=UTF-8`;
  const charsets = [`${type};charset=utf-8`, `${type}; charset="utf-8"`, ...(kind === 'json' ? [] : [upperCharset])];
  return [
    ...toRows([type.toUpperCase(), ...(kind === 'json' ? [upperCharset] : [])], { ...ACCEPTED, ...AT_EVERY_LEVEL }),
    ...toRows([...(hasCharset(type, kind) ? charsets : []), `${type} ; x=1`, `${type}; x="a;b"`], ACCEPTED),
  ];
}

/** Returns types that a server should refuse unless the contract declares them too. */
function listWrongTypes(type: string, { kind }: Content): (readonly [types: readonly string[], change?: Change])[] {
  return [
    [['application/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded']],
    [['multipart/form-data; boundary=x', 'application/octet-stream', 'application/*', '*/*']],
    [[`${type}x`, `x${type}`, `${type}+xml`]],
    [['json', 'application', `${type}; charset`, `${type}; =1`, `${type} x`, `"${type}"`], MAY_RECOVER],
    // RFC 2046 section 5.1.1: the parts cannot be separated without a boundary.
    [kind === 'multipart' ? [type, `${type}; boundary=`] : []],
  ];
}

/** For binary and multipart bodies, the charset is an unknown parameter, which servers ignore (RFC 2045 section 5). */
function hasCharset(type: string, kind: Content['kind']): boolean {
  return ['json', 'sequence', 'text', 'form'].includes(kind) || /^text\/|[/+]xml$/.test(type);
}
