import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Headers } from '../contract/http/write';

/** Something to be served as it is. */
export interface File {
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  /** What every reply with it says beside what it has to. */
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The bytes in the coding gzip, made when they are asked for first. */
  readonly gzipped: () => Promise<Buffer>;
}

const compress = promisify(gzip);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  // RFC 9512
  yaml: 'application/yaml',
};

/**
 * @param name with the extension that its media type comes from
 * @param headers of every reply with it; unless they say otherwise, caches ask each time whether it changed
 */
export function createFile(name: string, bytes: Buffer, headers: Headers = {}): File {
  let gzipped: Promise<Buffer> | undefined;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType: String(MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)]),
    headers: { 'Cache-Control': 'no-cache', ...headers },
    bytes,
    gzipped: () => (gzipped ??= compress(bytes)),
  };
}
