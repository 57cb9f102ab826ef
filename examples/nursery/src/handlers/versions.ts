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
  return ifMatch.split(',').some((one) => one.trim() === '*' || one.trim() === toETag(version));
}
