import type { IncomingMessage } from 'node:http';

/** Whether the headers of a request announce a body (RFC 9112 section 6.3), which may still be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
