import { gzipSync } from 'node:zlib';
import type { Case, Expectation } from '../case';
import type { Body, Content, Operation } from '../contract/model';
import { essenceOf } from '../contract/media-type';
import type { Values } from '../values/variant';
import { findContent } from '../wire/content';
import type { Header, WireRequest } from '../wire/request';
import { validRequest } from './valid-request';

/** What Content-Type and Content-Encoding a body may have (RFC 9110 section 8.3 and 8.4). */
export function media(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  return body ? body.contents.flatMap((content) => ofContent(values, operation, body, content)) : [];
}

function ofContent(values: Values, operation: Operation, body: Body, content: Content): Case[] {
  const type = essenceOf(content.mediaType);
  // Of a range nobody knows which types are meant.
  if (type.includes('*')) return [];
  const isFirst = body.contents[0] === content;
  const made = (
    label: string,
    expect: Expectation,
    mediaType: readonly Header[],
    change: Partial<WireRequest> = {},
  ): Case => ({
    operation: operation.id,
    class: 'media',
    pointer: body.pointer,
    label: isFirst ? label : `${type}, ${label}`,
    covers: [`${body.pointer} ${content.mediaType}`],
    request: { ...validRequest(values, operation, { content, mediaType }), ...change },
    expect,
  });
  const typed = (value: string): Header[] => [['Content-Type', value]];
  const encoded = (coding: string): Header[] => [...typed(type), ['Content-Encoding', coding]];
  const compressed = gzipSync(validRequest(values, operation, { content }).body ?? '');
  return [
    ...rightTypes(type, content).map((value) => made(`the type ${value}`, 'accepted', typed(value))),
    ...wrongTypes(type, content)
      .filter((value) => isWrong(body, type, value))
      .map((value) => made(`the type ${value}`, 'refused', typed(value))),
    made('no type', 'refused', []),
    made('an empty type', 'refused', typed('')),
    made('the type twice', 'refused', [...typed(type), ...typed(type)]),
    made('two types', 'refused', [...typed(type), ...typed('text/html')]),
    made('the coding identity', 'accepted', encoded('identity')),
    made('the coding gzip', 'refused', encoded('gzip'), { body: compressed }),
    made('the coding gzip, not compressed', 'refused', encoded('gzip')),
    made('an unknown coding', 'refused', encoded('what')),
    made('in chunks', 'accepted', typed(type), { framing: 'chunked' }),
  ];
}

// Another declared type is right, and so is the same one without a charset that is none.
function isWrong({ contents }: Body, type: string, value: string): boolean {
  return value !== type && (essenceOf(value) === type || !findContent(contents, value));
}

// A charset says nothing of bytes.
function rightTypes(type: string, { kind }: Content): string[] {
  const encoded = [`${type};charset=utf-8`, `${type}; charset=UTF-8`, `${type}; charset="utf-8"`];
  return [type.toUpperCase(), ...(kind === 'bytes' ? [] : encoded), `${type} ; x=1`, `${type}; x="a;b"`];
}

function wrongTypes(type: string, { kind }: Content): string[] {
  const charsets = ['utf-16', 'utf-7', 'iso-8859-1', 'us-ascii', 'nonsense', 'utf-8x', 'utf-8; charset=utf-16'];
  return [
    ...['application/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded'],
    ...['multipart/form-data; boundary=x', 'application/octet-stream', 'application/*', '*/*', 'json', 'application'],
    ...[`${type}x`, `x${type}`, `${type}+xml`, `${type}, ${type}`, `text/html, ${type}`],
    ...[`${type}; charset`, `${type}; =1`, `${type} x`, `"${type}"`],
    ...(kind === 'bytes' ? [] : charsets.map((charset) => `${type}; charset=${charset}`)),
  ];
}
