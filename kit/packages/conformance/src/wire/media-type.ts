/** Returns the media type in lower case, without parameters. */
export function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Whether a media type is JSON or has the suffix +json (RFC 6839 section 3.1).
 *
 * @example isJsonType('application/problem+json') // true
 */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || /^[^*]+\/[^*]*\+json$/.test(type);
}
