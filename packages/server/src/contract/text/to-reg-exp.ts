/**
 * Compiles a pattern of a schema: with the flag u, as JSON Schema demands; without it if only that compiles.
 *
 * @throws SyntaxError when it is no regular expression either way
 */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
