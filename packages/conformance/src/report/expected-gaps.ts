// The gaps that are not reported: no client depends on them, or no case can produce them.
import type { Model } from '../contract/model';
import type { Item, Place } from './item';

// Of the kit's errors, those that need a body, one that has to be there, or credentials to be asked for.
const OF_BODIES = [
  ...['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_CONTENT_ENCODING'],
  ...['INVALID_UTF8', 'MALFORMED_JSON', 'INVALID_BODY'],
];
const OF_REQUIRED_BODIES = ['BODY_REQUIRED'];
const OF_CREDENTIALS = ['CREDENTIALS_MISSING', 'CREDENTIALS_INVALID'];

// Of HTTP itself, which the kit keeps where a contract says nothing about them.
const OF_HTTP = /^\S+ (?:retry-after|www-authenticate), present$/;

/** Whether no case has to show it: clients need no optional member of an error, and servers rarely have several forms. */
export function isWaived({ status, isOptional }: Place): boolean {
  return isOptional && status !== undefined && !/^[123]/.test(status);
}

/**
 * Whether it is no wonder that something was not produced, or that it was: an operation is not built, the contract has no
 * place for it, HTTP has it, or it is an optional part of an error.
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
  // The handler has no part in what is refused.
  return unbuilt.has(operation) && kind !== 'class' && !(kind === 'rule' && name.endsWith(', outside'));
}
