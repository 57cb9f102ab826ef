// Decides which gaps (declared, but not produced) are not reported: no client depends on them, or no case can produce
// them.
import type { Model } from '../contract/model';
import type { Item, Place } from './item';

// Errors of the kit that occur only if an operation has a body, a required body, or credentials.
const OF_BODIES = [
  ...['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_CONTENT_ENCODING'],
  ...['INVALID_UTF8', 'MALFORMED_JSON', 'INVALID_BODY'],
];
const OF_REQUIRED_BODIES = ['BODY_REQUIRED'];
const OF_CREDENTIALS = ['CREDENTIALS_MISSING', 'CREDENTIALS_INVALID'];

// Headers that HTTP requires and the kit sends even if undeclared.
const OF_HTTP = /^\S+ (?:retry-after|www-authenticate), present$/;

/** Whether no case has to produce it: an optional part of an error. */
export function isWaived({ status, isOptional }: Place): boolean {
  return isOptional && status !== undefined && !/^[123]/.test(status);
}

/**
 * Whether a gap is expected: the operation is not built, no operation can cause the error, HTTP defines the header, or
 * it is an optional part of an error.
 *
 * @example gaps.filter((gap) => !isExpectedGap(suite.model, new Set(), gap))
 */
export function isExpectedGap(
  { operations }: Model,
  unbuilt: ReadonlySet<string>,
  { operation, kind, name, isDeclared, places }: Item,
): boolean {
  if (!isDeclared) return kind === 'reply shape' && OF_HTTP.test(name);
  if (places.every(isWaived)) return true;
  if (kind === 'error') {
    const error = String(name.split(' ')[1]);
    const needs: readonly (readonly [names: readonly string[], isThere: boolean])[] = [
      [OF_BODIES, operations.some(({ body }) => body !== undefined)],
      [OF_REQUIRED_BODIES, operations.some(({ body }) => body?.isRequired)],
      [OF_CREDENTIALS, operations.some(({ alternatives }) => alternatives.every((schemes) => schemes.length > 0))],
    ];
    return unbuilt.size > 0 || needs.some(([names, isThere]) => names.includes(error) && !isThere);
  }
  // Requests are refused before the handler, so unbuilt operations have those items too.
  return unbuilt.has(operation) && kind !== 'class' && !(kind === 'rule' && name.endsWith(', outside'));
}
