// Chooses the status of a refusal.
import { findReply, type StatusesOf } from '../operation/find-reply';
import type { Operation } from '../operation/operation';
import { REFUSALS, type RefusalKind } from './refusal';

// What HTTP itself says by its status, a challenge and Allow included, and the failures of the server.
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

// Another 4xx says the same of them, less exactly.
const REPLACEABLE: ReadonlySet<number> = new Set([400, 413, 415]);

/**
 * The status of a refusal where no catalogue has it: the chosen one; or else HTTP's own if the operation declares it, and
 * for what is wrong with a request, 400 or 422 if it lists only one of these. An operation that lists both tells
 * a body that does not fit its schema by 422 (RFC 9110 section 15.5.21).
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
