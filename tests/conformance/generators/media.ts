import { gzipSync } from 'node:zlib';
import type { Case, Expectation } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import type { Header, WireRequest } from '../wire/request';
import { validRequest } from './valid-request';

/** What Content-Type and Content-Encoding a body may have (RFC 9110 section 8.3 and 8.4). */
export function media(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  if (!body) return [];
  const type = body.mediaType;
  const made = (
    label: string,
    expect: Expectation,
    mediaType: readonly Header[],
    change: Partial<WireRequest> = {},
  ): Case => ({
    operation: operation.id,
    class: 'media',
    pointer: body.pointer,
    label,
    covers: [`${body.pointer} ${type}`],
    request: { ...validRequest(values, operation, { mediaType }), ...change },
    expect,
  });
  const right = [
    type.toUpperCase(),
    `${type};charset=utf-8`,
    `${type}; charset=UTF-8`,
    `${type}; charset="utf-8"`,
    `${type} ; x=1`,
    `${type}; x="a;b"`,
  ];
  const wrong = [
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
    ...[
      'application/octet-stream',
      'application/*',
      '*/*',
      'json',
      'application',
      `${type}x`,
      `x${type}`,
      `${type}+xml`,
    ],
    ...[`${type}, ${type}`, `text/plain, ${type}`, `${type}; charset`, `${type}; =1`, `${type} x`, `"${type}"`],
    ...['utf-16', 'utf-7', 'iso-8859-1', 'us-ascii', 'nonsense', 'utf-8x', 'utf-8; charset=utf-16'].map(
      (charset) => `${type}; charset=${charset}`,
    ),
  ];
  const typed = (value: string): Header[] => [['Content-Type', value]];
  const encoded = (coding: string): Header[] => [...typed(type), ['Content-Encoding', coding]];
  const compressed = gzipSync(validRequest(values, operation).body ?? '');
  return [
    ...right.map((value) => made(`the type ${value}`, 'accepted', typed(value))),
    ...wrong.map((value) => made(`the type ${value}`, 'refused', typed(value))),
    made('no type', 'refused', []),
    made('an empty type', 'refused', typed('')),
    made('the type twice', 'refused', [...typed(type), ...typed(type)]),
    made('two types', 'refused', [...typed(type), ...typed('text/plain')]),
    made('the coding identity', 'accepted', encoded('identity')),
    made('the coding gzip', 'refused', encoded('gzip'), { body: compressed }),
    made('the coding gzip, not compressed', 'refused', encoded('gzip')),
    made('an unknown coding', 'refused', encoded('what')),
    made('in chunks', 'accepted', typed(type), { framing: 'chunked' }),
  ];
}
