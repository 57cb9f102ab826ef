// Decides which gaps are not reported: no client depends on them, or no case can produce them.
import type { Model, Operation } from '../contract/model';
import type { Item, Place } from './item';

// Errors of the kit that occur only if an operation has a body, a required body, or credentials.
const ERRORS_OF_BODIES = [
  ...['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_CONTENT_ENCODING'],
  ...['INVALID_UTF8', 'MALFORMED_JSON', 'INVALID_BODY'],
];
const ERRORS_OF_REQUIRED_BODIES = ['BODY_REQUIRED'];
const ERRORS_OF_CREDENTIALS = ['CREDENTIALS_MISSING', 'CREDENTIALS_INVALID'];

// Shapes of the headers that HTTP requires, so that a server sends them even if they are undeclared.
const HTTP_HEADER_SHAPE = /^\S+ (?:retry-after|www-authenticate), present$/;

/** Whether no case has to produce an item: it is an optional part of an error reply (4xx, 5xx or default). */
export function isWaived({ status, isOptional }: Place): boolean {
  const isErrorReply = status !== undefined && !/^[123]/.test(status);
  return isOptional && isErrorReply;
}

/**
 * Whether a gap (an item that was only declared, or only produced) is not reported: HTTP defines the header, the item
 * is an optional part of an error, no operation can cause the error, or the operation is not built.
 *
 * @param unbuilt the ids of operations without a handler
 * @example gaps.filter((gap) => !isExpectedGap(suite.model, new Set(), gap))
 */
export function isExpectedGap(
  { operations }: Model,
  unbuilt: ReadonlySet<string>,
  { operation, kind, name, isDeclared, places }: Item,
): boolean {
  if (!isDeclared) return kind === 'reply shape' && HTTP_HEADER_SHAPE.test(name);
  if (places.every(isWaived)) return true;
  if (kind === 'error') {
    // The name of an error item is its number and name, such as `1004 BODY_REQUIRED`.
    const error = String(name.split(' ')[1]);
    const needsCredentials = ({ alternatives }: Operation): boolean =>
      alternatives.every((schemes) => schemes.length > 0);
    const causes: readonly (readonly [errors: readonly string[], isPossible: boolean])[] = [
      [ERRORS_OF_BODIES, operations.some(({ body }) => body !== undefined)],
      [ERRORS_OF_REQUIRED_BODIES, operations.some(({ body }) => body?.isRequired)],
      [ERRORS_OF_CREDENTIALS, operations.some(needsCredentials)],
    ];
    // An operation that is not built yet may be the only one that causes the error.
    return unbuilt.size > 0 || causes.some(([errors, isPossible]) => errors.includes(error) && !isPossible);
  }
  // Invalid requests are refused before the handler runs, so they have to be tested without a handler, too.
  const isRefusal = kind === 'rule' && name.endsWith(', outside');
  return unbuilt.has(operation) && kind !== 'class' && !isRefusal;
}
