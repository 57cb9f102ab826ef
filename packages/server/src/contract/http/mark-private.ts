// Keeps the replies to requests with an API key out of shared caches.
import type { ServerResponse } from 'node:http';
import type { CredentialsCarrier } from '../operation/credential-types';
import { findReply } from '../operation/find-reply';
import type { Operation } from '../operation/operation';

/** Marks all replies to one request, refusals too. The function that it returns takes the mark from a reply of this status. */
export type MarkPrivate = (carrier: CredentialsCarrier, res: ServerResponse) => (status: number) => void;

const CACHE_CONTROL = 'Cache-Control';
const DONE = (): void => undefined;

/**
 * RFC 9111 section 3.5 keeps replies out of shared caches for the header Authorization alone. A Cache-Control that middleware has
 * set stays, and a reply that declares one has what its handler sets.
 */
export function createMarkPrivate(operation: Pick<Operation, 'security' | 'replies'>): MarkPrivate {
  const keys = operation.security.flat().filter(({ challenge }) => challenge === 'ApiKey');
  return (carrier, res) => {
    if (!keys.some(({ isPresent }) => isPresent(carrier)) || res.hasHeader(CACHE_CONTROL)) return DONE;
    res.setHeader(CACHE_CONTROL, 'private');
    return (status) => {
      const declared = findReply(operation, status)?.headers ?? [];
      if (declared.some(({ name }) => name.toLowerCase() === 'cache-control')) res.removeHeader(CACHE_CONTROL);
    };
  };
}
