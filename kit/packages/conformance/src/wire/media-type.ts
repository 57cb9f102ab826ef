/** The media type without parameters, in lower case. */
export function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Whether a media type is JSON; a suffix +json counts (RFC 6839 section 3.1).
 *
 * @example isJsonType('application/problem+json') // true
 */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || /^[^*]+\/[^*]*\+json$/.test(type);
}
