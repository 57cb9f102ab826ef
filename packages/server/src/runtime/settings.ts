// Parses the values of settings.
import { isIP, isIPv6 } from 'node:net';
import { levels } from 'pino';
import { decodeUnreserved } from '../contract/text/uri';

// Each function parses one kind of setting, and throws an Error with a message that continues the setting's name.

const BYTES_BY_UNIT = new Map([
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
]);
const MILLISECONDS_BY_UNIT = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
]);
// Parsing 1 MB of JSON with distinct names, or of brackets, takes up to 0.3 s and 30 MB. All other requests wait.
const MAX_BODY_BYTES = 4 * 1024 ** 2;
const MAX_DURATION_MS = 60 * 60_000;
const MAX_PORT = 65_535;

/** @returns the host; an IPv6 address without the brackets of a URL */
export function parseHost(text: string): string {
  const [, textInBrackets = ''] = /^\[(.*)\]$/.exec(text) ?? [];
  if (isIPv6(textInBrackets)) return textInBrackets;
  const isAddress = isIP(text) !== 0;
  if (!isAddress && !/^[A-Za-z0-9.-]+$/.test(text)) throw new Error('must be an address or a host name');
  return text;
}

/** @returns the port; 0 for any free one */
export function parsePort(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > MAX_PORT) {
    throw new Error(`must be a whole number from 0 to ${String(MAX_PORT)}`);
  }
  return Number(text);
}

/** @returns the path of the URL, without a slash at the end; unreserved characters are decoded, as in paths of requests */
export function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isOriginAndPath = url !== null && url.origin + url.pathname === url.href && url.protocol.startsWith('http');
  if (!isOriginAndPath) throw new Error('must be a URL such as https://api.example/v1, with no query and no password');
  return decodeUnreserved(url.pathname.replace(/\/$/, ''));
}

/** @returns origins, or `*` for all of them */
export function parseOrigins(text: string): string[] | '*' {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.join() === '*') return '*';
  if (!origins.every(isOrigin)) {
    throw new Error('must be * or origins as browsers send them, such as https://app.example or http://localhost:5173');
  }
  return origins;
}

/** @returns bytes: 65,536 for `64kb` */
export function parseBytes(text: string): number {
  const bytes = parseQuantity(text, BYTES_BY_UNIT);
  // False for NaN, too.
  if (!(bytes > 0)) throw new Error('must be a size from 1b to 4mb, such as 1mb or 64kb');
  if (bytes > MAX_BODY_BYTES)
    throw new Error('must be at most 4mb: while a larger JSON body is read, others wait too long');
  return bytes;
}

/** @returns milliseconds: 10,000 for `10s` */
export function parseDuration(text: string): number {
  const milliseconds = parseQuantity(text, MILLISECONDS_BY_UNIT);
  if (!(milliseconds <= MAX_DURATION_MS)) throw new Error('must be a time up to 60m, such as 10s or 500ms');
  return milliseconds;
}

export function parseLogLevel(text: string): string {
  const levelNames = [...Object.keys(levels.values), 'silent'];
  if (!levelNames.includes(text)) throw new Error(`must be one of ${levelNames.join(', ')}`);
  return text;
}

export function parseLogFormat(text: string): 'text' | 'json' {
  if (text !== 'text' && text !== 'json') throw new Error('must be text or json');
  return text;
}

export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error('must be on or off');
  return text === 'on';
}

// As browsers send it: in lower case, in ASCII, without the default port. Of a browser extension, `url.origin` would be `null`.
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.host !== '' && `${url.protocol}//${url.host}` === text && !text.includes('*');
}

/** Parses a number with one of the units, such as `64kb`, and multiplies both; NaN for any other text. */
function parseQuantity(text: string, units: ReadonlyMap<string, number>): number {
  const parts = /^(\d+)([a-z]+)$/i.exec(text);
  if (!parts) return NaN;
  const [, digits, unit] = parts;
  return Number(digits) * (units.get(String(unit).toLowerCase()) ?? NaN);
}
