/** The media type that a header or a contract names, without its parameters. */
export function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * RFC 6839 section 3.1: whatever ends in +json is JSON.
 *
 * @example isJsonType('application/problem+json') // true
 */
export function isJsonType(type: string): boolean {
  return /^(?:application\/json|[\w.-]+\/[\w.-]+\+json)$/.test(type);
}
