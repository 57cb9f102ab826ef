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
const REPLACEABLE_STATUSES: ReadonlySet<number> = new Set([400, 413, 415]);

/**
 * Where there is no error catalogue: the status that the team chose, or else HTTP's own. If the operation does not declare HTTP's
 * own for a wrong request, it is 400 or 422, whichever is declared; if both are, 422 is for a body that does not match its
 * schema (RFC 9110 section 15.5.21).
 */
export function toStatus(kind: RefusalKind, operation: Operation | undefined, chosen: Statuses): number {
  const { [kind]: chosenStatus }: Readonly<Partial<Record<RefusalKind, number>>> = chosen;
  if (chosenStatus !== undefined) return chosenStatus;
  const { status } = REFUSALS[kind];
  if (!operation) return status;
  const isDeclared = (other: number): boolean => findReply(operation, other) !== undefined;
  // A handler that is not written yet: 501, or 503 if only that is declared.
  if (kind === 'NOT_BUILT') return !isDeclared(status) && isDeclared(503) ? 503 : status;
  // 400 itself is looked up below, since an operation that declares it may declare 422 for a wrong body.
  if (!REPLACEABLE_STATUSES.has(status) || (status !== 400 && isDeclared(status))) return status;
  const inOrder = kind === 'INVALID_BODY' ? [422, 400] : [400, 422];
  // Declared by itself: a range such as 4XX says nothing about 422.
  return inOrder.find((candidate) => operation.replies.has(candidate)) ?? status;
}
