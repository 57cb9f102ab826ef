// Chooses the status of a refusal.
import { findReply, type StatusesOf } from '../operation/find-reply';
import type { Operation } from '../operation/operation';
import { REFUSALS, type RefusalKind } from './refusal';

// Refusals whose status is fixed: HTTP ties headers to it, or the server is at fault.
type Fixed =
  | ('CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'FORBIDDEN' | 'UNKNOWN_PATH' | 'METHOD_NOT_ALLOWED')
  | ('TOO_MANY_REQUESTS' | 'INTERNAL_ERROR' | 'NOT_BUILT' | 'SERVICE_UNAVAILABLE');

/**
 * The statuses that a team chose, by the kind of refusal.
 *
 * @example const statuses: Statuses = { INVALID_BODY: 422, INVALID_PARAMETER: 422 };
 */
export type Statuses = Readonly<
  Partial<Record<Exclude<RefusalKind, Fixed>, Exclude<StatusesOf<'4'>, 401 | 403 | 404 | 405>>>
>;

// For these, 400 or 422 is right too, but less exact.
const REPLACEABLE: ReadonlySet<number> = new Set([400, 413, 415]);

/**
 * Chooses the status of a refusal where there is no catalogue. It is the one that the team chose, or else HTTP's own. If the
 * operation does not declare HTTP's own for a wrong request, it is 400 or 422, whichever is declared; if both are, 422 is
 * for a body that does not match its schema (RFC 9110 section 15.5.21).
 */
export function toStatus(kind: RefusalKind, operation: Operation | undefined, chosen: Statuses): number {
  const { [kind]: picked }: Readonly<Partial<Record<RefusalKind, number>>> = chosen;
  const { status } = REFUSALS[kind];
  if (picked !== undefined) return picked;
  if (!operation) return status;
  const isDeclared = (one: number): boolean => findReply(operation, one) !== undefined;
  if (kind === 'NOT_BUILT') return !isDeclared(status) && isDeclared(503) ? 503 : status;
  if (!REPLACEABLE.has(status) || (status !== 400 && isDeclared(status))) return status;
  const inOrder = kind === 'INVALID_BODY' ? [422, 400] : [400, 422];
  return inOrder.find((one) => operation.replies.has(one)) ?? status;
}
