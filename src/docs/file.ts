import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Something to be served as it is. */
export interface File {
  /** Changes with the bytes. */
  readonly hash: string;
  readonly mediaType: string;
  readonly cacheControl: string;
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

/** @param name with the extension that its media type comes from */
export function createFile(name: string, bytes: Buffer, cacheControl = 'no-cache'): File {
  let gzipped: Promise<Buffer> | undefined;
  return {
    hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 16),
    mediaType: String(MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)]),
    cacheControl,
    bytes,
    gzipped: () => (gzipped ??= compress(bytes)),
  };
}
