// Sends a file with its ETag.
import type { Request, Response } from 'express';
import { writeContent } from '../contract/http/write';
import type { File } from './file';

const EMPTY_BODY = Buffer.alloc(0);
const SECURITY_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The style sheet of Swagger UI embeds its icons.
    'img-src data:',
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** Answers GET or HEAD with a file, with 304 if the client has it, or with 412 if If-Match names other versions only. */
export async function sendFile(req: Request, res: Response, file: File): Promise<void> {
  const acceptsGzip = req.acceptsEncodings('gzip') !== false;
  const etag = acceptsGzip ? `"${file.sha256}-gzip"` : `"${file.sha256}"`;
  const headers = { ...SECURITY_HEADERS, ...file.headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (!passesIfMatch(etag, req.headers['if-match'])) {
    writeContent(res, 412, EMPTY_BODY, { ...headers, 'Content-Length': '0' });
    return;
  }
  if (isCachedByClient(etag, req.headers['if-none-match'])) {
    writeContent(res, 304, EMPTY_BODY, headers);
    return;
  }
  const bytes = acceptsGzip ? await file.gzipped() : file.bytes;
  writeContent(res, 200, bytes, {
    ...headers,
    'Content-Type': file.mediaType,
    'Content-Length': String(bytes.length),
    ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
  });
}

// RFC 9110 section 13.1.1: the comparison is strong, so that `W/"..."`, a weak tag, equals none.
function passesIfMatch(etag: string, ifMatch = '*'): boolean {
  const tags = splitTags(ifMatch);
  return tags.includes('*') || tags.includes(etag);
}

// RFC 9110 section 13.1.2: the comparison is weak, so that the mark `W/` of a weak tag does not count.
function isCachedByClient(etag: string, ifNoneMatch = ''): boolean {
  const tags = splitTags(ifNoneMatch).map((tag) => tag.replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

// The ETags of this service contain no comma.
function splitTags(text: string): string[] {
  return text.split(',').map((tag) => tag.trim());
}
