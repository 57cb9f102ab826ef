import type { IncomingMessage } from 'node:http';

/** Whether a request says that a body follows (RFC 9112 section 6.3); it may turn out to be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
