/** Compiles with the flag u, as JSON Schema demands; without it if only that compiles. Throws a SyntaxError if neither does. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
