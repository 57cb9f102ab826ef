/**
 * Compiles a pattern of a schema: with the flag u, as JSON Schema has it, or else without, as many patterns are written.
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
