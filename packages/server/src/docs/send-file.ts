// Sends a file with its ETag.
import type { Request, Response } from 'express';
import { writeContent } from '../contract/http/write';
import type { File } from './file';

const NOTHING = Buffer.alloc(0);
const SAFETY = {
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

/** Answers GET or HEAD with a file, with 304 if the client has it, or with 412 if If-Match names another version. */
export async function sendFile(req: Request, res: Response, file: File): Promise<void> {
  const isGzip = req.acceptsEncodings('gzip') !== false;
  const etag = isGzip ? `"${file.sha256}-gzip"` : `"${file.sha256}"`;
  const headers = { ...SAFETY, ...file.headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (!isWanted(etag, req.headers['if-match'])) {
    writeContent(res, 412, NOTHING, { ...headers, 'Content-Length': '0' });
    return;
  }
  if (isKnown(etag, req.headers['if-none-match'])) {
    writeContent(res, 304, NOTHING, headers);
    return;
  }
  const bytes = isGzip ? await file.gzipped() : file.bytes;
  writeContent(res, 200, bytes, {
    ...headers,
    'Content-Type': file.mediaType,
    'Content-Length': String(bytes.length),
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  });
}

// RFC 9110 section 13.1.1: the comparison is strong.
function isWanted(etag: string, wanted = '*'): boolean {
  const tags = splitTags(wanted);
  return tags.includes('*') || tags.includes(etag);
}

// RFC 9110 section 13.1.2: the comparison is weak.
function isKnown(etag: string, known = ''): boolean {
  const tags = splitTags(known).map((tag) => tag.replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

// The ETags of this service contain no comma.
function splitTags(text: string): string[] {
  return text.split(',').map((tag) => tag.trim());
}
