// Keeps the replies to requests with an API key out of shared caches.
import type { ServerResponse } from 'node:http';
import type { CredentialsCarrier } from '../operation/credentials';
import type { Operation } from '../operation/operation';

/** Marks all replies to one request, refusals too. */
export type MarkPrivate = (carrier: CredentialsCarrier, res: ServerResponse) => void;

const CACHE_CONTROL = 'Cache-Control';

/**
 * RFC 9111 section 3.5 keeps replies out of shared caches for the header Authorization alone. A Cache-Control that middleware has
 * set stays; an operation that declares one for a reply says itself what caches may keep.
 */
export function createMarkPrivate({ security, replies }: Pick<Operation, 'security' | 'replies'>): MarkPrivate {
  const names = [...replies.values()].flatMap(({ headers }) => headers.map(({ name }) => name.toLowerCase()));
  const isDeclared = names.includes(CACHE_CONTROL.toLowerCase());
  const keys = isDeclared ? [] : security.flat().filter(({ challenge }) => challenge === 'ApiKey');
  return (carrier, res) => {
    if (!keys.some(({ isPresent }) => isPresent(carrier)) || res.hasHeader(CACHE_CONTROL)) return;
    res.setHeader(CACHE_CONTROL, 'private');
  };
}
