import { STATUS_CODES } from 'node:http';
import type { Problem } from '../generated/schemas';

/** @param detail for people, about this request */
export function toProblem(status: number, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail };
}

/** The ETag of a version. */
export function toETag(version: number): string {
  return `"${String(version)}"`;
}

/**
 * Whether `If-Match` allows to change this version (RFC 9110 section 13.1.1). A weak ETag never matches.
 *
 * @example isMatch('"2", "3"', 3) // true
 */
export function isMatch(ifMatch: string, version: number): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === toETag(version));
}
