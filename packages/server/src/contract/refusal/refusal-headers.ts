// Makes the headers that a refusal needs by its status.
import type { Operation } from '../operation/operation';
import { toChallenge, toRealm, toScopeChallenge } from './challenge';
import type { Refusal } from './refusal';

export interface RefusedTarget {
  /** Undefined if the path has no operation with the request's method. */
  readonly operation: Operation | undefined;
  /** The methods of the operations that the path has; none for an unknown path. */
  readonly methods: readonly string[];
}

type ToRefusalHeaders = (refusal: Refusal, status: number, target: RefusedTarget) => Readonly<Record<string, string>>;

/** `title` is that of the contract, which clients are told as the realm of their credentials. */
export function createRefusalHeaders(title: string): ToRefusalHeaders {
  const realm = toRealm(title);

  return function toRefusalHeaders(refusal, status, { operation, methods }) {
    if (!operation) return methods.length > 0 ? { Allow: methods.join(', ') } : {};
    if (status === 401) return { 'WWW-Authenticate': toChallenge(operation, realm, refusal) };
    const challenge = toScopeChallenge(realm, refusal);
    if (challenge !== undefined) return { 'WWW-Authenticate': challenge };
    return status === 503 ? { 'Retry-After': '1' } : {};
  };
}
