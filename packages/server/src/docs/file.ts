import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Headers } from '../contract/http/write';

/** A file to serve unchanged. */
export interface File {
  /** The digest of the bytes, in hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The bytes in the coding gzip, compressed at the first call. */
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

/** The extension of `name` determines the media type. By default, caches revalidate the file each time. */
export function createFile(name: string, bytes: Buffer, headers: Headers = {}): File {
  let compressed: Promise<Buffer> | undefined;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType: String(MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)]),
    headers: { 'Cache-Control': 'no-cache', ...headers },
    bytes,
    gzipped: () => (compressed ??= compress(bytes)),
  };
}
