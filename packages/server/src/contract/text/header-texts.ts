import type { IncomingHttpHeaders } from 'node:http';

/** The values of a header, by its name in any case. node:http has most of them joined, and a few, such as Set-Cookie, in a list. */
export function headerTexts(headers: IncomingHttpHeaders, name: string): string[] {
  const key = name.toLowerCase();
  // Every object has a `constructor`.
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return value === undefined ? [] : [value].flat();
}
