import {
  findReply,
  isPublic,
  listScopes,
  type BodyMedia,
  type NormalizedSchema,
  type Operation,
} from '@contract-kit/contract';
import { chooseMedia } from './create-renderer';
import { REFUSALS, Refusal, type RefusalKind } from './refusal';
import type { Render, RenderedRefusal } from './render';

// Refusals that are sent before the operation is known, or that only middleware and handlers cause.
const KINDS_WITHOUT_OPERATION: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  ...(['HEADERS_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNKNOWN_PATH', 'METHOD_NOT_ALLOWED'] as const),
  'TOO_MANY_REQUESTS',
  'REFUSED_BY_SERVICE',
]);
const KINDS_WITH_BODY: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  ...(['BODY_REQUIRED', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_CONTENT_ENCODING'] as const),
  ...(['INVALID_UTF8', 'MALFORMED_JSON', 'INVALID_BODY'] as const),
]);
const KINDS_WITH_SECURITY: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  'CREDENTIALS_MISSING',
  'CREDENTIALS_INVALID',
]);

const SAMPLE_REFUSALS = (Object.keys(REFUSALS) as RefusalKind[]).map((kind) => new Refusal(kind));

export function renderBuiltInReplies(operation: Operation, render: Render): RenderedRefusal[] {
  return samplesOf(operation).map((refusal) => render(refusal, operation));
}

/**
 * Finds the statuses that the kit can send but an operation does not declare. NOT_BUILT is left out, because deployed services
 * never send it.
 *
 * @example findUndeclaredStatuses(operation, createRenderer({ contract })) // [401, 503]
 */
export function findUndeclaredStatuses(operation: Operation, render: Render): number[] {
  const refusals = samplesOf(operation).filter(({ kind }) => kind !== 'NOT_BUILT');
  const statuses = new Set(refusals.map((refusal) => render(refusal, operation).status));
  return [...statuses].filter((status) => !findReply(operation, status)).sort();
}

/** A body that an operation declares for a status of the kit's refusals. */
export interface BuiltInError {
  readonly status: number;
  readonly media: BodyMedia;
}

/**
 * Lists the bodies that an operation declares for the kit's refusals.
 *
 * @example findBuiltInErrors(operation, createRenderer({ contract })).map(({ status }) => status) // [400, 500]
 */
export function findBuiltInErrors(operation: Operation, render: Render): BuiltInError[] {
  const statuses = new Set(renderBuiltInReplies(operation, render).map(({ status }) => status));
  return [...statuses].flatMap((status) => {
    const declared = findReply(operation, status);
    const media = declared && chooseMedia(declared);
    return media ? [{ status, media }] : [];
  });
}

/**
 * Finds the headers that a contract requires in the kit's refusals but the kit does not set itself, keyed by name.
 *
 * @example findErrorHeaders(operations, createRenderer({ contract })).keys() // 'X-Reason'
 */
export function findErrorHeaders(
  operations: readonly Operation[],
  render: Render,
): ReadonlyMap<string, NormalizedSchema> {
  const declared = operations.flatMap((operation) =>
    renderBuiltInReplies(operation, render).flatMap(({ status }) => findReply(operation, status)?.headers ?? []),
  );
  const required = declared.filter(({ isRequired, name }) => isRequired && !KIT_HEADERS.has(name.toLowerCase()));
  return new Map(required.map(({ name, schema }) => [name, schema]));
}

const KIT_HEADERS = new Set(['www-authenticate', 'retry-after', 'x-content-type-options']);

/** Lists the placeholders that `renderError` and `errorHeaders` have marked with `todo`, without duplicates. */
export function findPlaceholders(operations: readonly Operation[], render: Render): string[] {
  const rendered = operations.flatMap((operation) => renderBuiltInReplies(operation, render));
  return [...new Set(rendered.flatMap(({ unwritten }) => unwritten))];
}

function samplesOf(operation: Operation): Refusal[] {
  return SAMPLE_REFUSALS.filter(({ kind }) => {
    if (kind === 'FORBIDDEN') return mayLackScopes(operation);
    if (KINDS_WITH_BODY.has(kind)) return operation.body !== undefined;
    if (KINDS_WITH_SECURITY.has(kind)) return !isPublic(operation);
    return !KINDS_WITHOUT_OPERATION.has(kind);
  });
}

function mayLackScopes(operation: Operation): boolean {
  return !isPublic(operation) && listScopes([operation]).length > 0;
}
