// Each reply that the kit sends by itself, by operation.
import type { BodyMedia } from '../operation/bodies-and-replies';
import { findReply } from '../operation/find-reply';
import { listScopes } from '../operation/list-scopes';
import { isPublic, type Operation } from '../operation/operation';
import { chooseMedia } from './create-renderer';
import { REFUSALS, Refusal, type RefusalKind } from './refusal';
import type { Render, RenderedRefusal } from './render';

// Refusals before an operation is known, and refusals of middleware.
const OF_NO_OPERATION: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  ...(['HEADERS_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNKNOWN_PATH', 'METHOD_NOT_ALLOWED'] as const),
  ...(['FORBIDDEN', 'TOO_MANY_REQUESTS'] as const),
]);
const OF_BODIES: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  ...(['BODY_REQUIRED', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_CONTENT_ENCODING'] as const),
  ...(['INVALID_UTF8', 'MALFORMED_JSON', 'INVALID_BODY'] as const),
]);
const OF_CREDENTIALS: ReadonlySet<RefusalKind> = new Set<RefusalKind>(['CREDENTIALS_MISSING', 'CREDENTIALS_INVALID']);

// Each error has a trace of the stack, which takes long to make.
const SAMPLES = (Object.keys(REFUSALS) as RefusalKind[]).map((kind) => new Refusal(kind));

/** The replies of an operation that the kit may send by itself. */
export function renderOwnReplies(operation: Operation, render: Render): RenderedRefusal[] {
  return samplesOf(operation).map((refusal) => render(refusal, operation));
}

/**
 * The statuses that the kit sends by itself and an operation does not declare. That a handler is not written yet is left
 * out: no client of a service that is deployed meets it.
 *
 * @example findUndeclaredStatuses(operation, createRenderer({ contract, errors })) // [401, 503]
 */
export function findUndeclaredStatuses(operation: Operation, render: Render): number[] {
  const refusals = samplesOf(operation).filter(({ kind }) => kind !== 'NOT_BUILT');
  const statuses = new Set(refusals.map((refusal) => render(refusal, operation).status));
  return [...statuses].filter((status) => !findReply(operation, status)).sort();
}

/** A body that an operation declares for refusals. */
export interface OwnError {
  readonly status: number;
  readonly media: BodyMedia;
  /** Whether the renderer makes it; otherwise `renderError` has to. */
  readonly isRendered: boolean;
}

/**
 * The bodies that an operation declares for the refusals of the kit.
 *
 * @example findOwnErrors(operation, createRenderer({ contract, errors })).some(({ isRendered }) => !isRendered)
 */
export function findOwnErrors(operation: Operation, render: Render): OwnError[] {
  return renderOwnReplies(operation, render).flatMap(({ status, type = '' }) => {
    const declared = findReply(operation, status);
    const media = declared && chooseMedia(declared);
    return media ? [{ status, media, isRendered: declared.media.has(type) }] : [];
  });
}

function samplesOf(operation: Operation): Refusal[] {
  return SAMPLES.filter(
    ({ kind }) =>
      (!OF_NO_OPERATION.has(kind) || (kind === 'FORBIDDEN' && mayLackScopes(operation))) &&
      !(OF_BODIES.has(kind) && !operation.body) &&
      !(OF_CREDENTIALS.has(kind) && isPublic(operation)),
  );
}

function mayLackScopes(operation: Operation): boolean {
  return !isPublic(operation) && listScopes([operation]).length > 0;
}
