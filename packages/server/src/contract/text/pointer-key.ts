/**
 * A key as JSON pointers have it (RFC 6901 section 3).
 *
 * @example toPointerKey('/books') // '~1books'
 */
export function toPointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
