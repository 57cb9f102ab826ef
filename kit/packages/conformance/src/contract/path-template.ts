// Compares, writes and reads the paths of a contract, such as `/books/{id}`.
const PARAMETER = /\{([^}]*)\}/g;

/** The names of the parameters of a path, in their order: `['shelf', 'book']` for `/shelves/{shelf}/books/{book}`. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/** Removes parameter names so that paths can be compared: `/books/{bookId}/` becomes `/books/{}`. */
export function normalizePath(template: string): string {
  // The lookbehind keeps the slash of the path `/`.
  return template.replace(PARAMETER, '{}').replace(/(?<=.)\/$/, '');
}

/** Whether two paths differ at most in the names of their parameters: `/books/{id}` and `/books/{bookId}`. */
export function isSamePath(left: string, right: string): boolean {
  return normalizePath(left) === normalizePath(right);
}

/** The path of a collection, from that of its items: `/books` for `/books/{bookId}`. */
export function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/{'));
}

/** Percent-encodes what no target of a request has, such as a space: `/a%20b/{id}` for `/a b/{id}` (RFC 3986 section 3.3). */
export function encodePath(template: string): string {
  return template.replace(/[^\w.~!$&'()*+,;=:@%/{}?#-]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

/** Reads `id` as `a b` from `/books/a%20b`; undefined when the path does not match the template, or is malformed. */
export function readPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const texts = toExpression(template).exec(path)?.slice(1) ?? [];
  const names = parametersOf(template);
  if (texts.length === 0 || texts.length !== names.length) return undefined;
  try {
    return new Map(names.map((name, index) => [name, decodeURIComponent(texts[index] ?? '')]));
  } catch {
    // The percent encoding is malformed.
    return undefined;
  }
}

export function matchesPath(template: string, path: string): boolean {
  return toExpression(template).test(path);
}

const expressions = new Map<string, RegExp>();

function toExpression(template: string): RegExp {
  const known = expressions.get(template);
  if (known) return known;
  // A split by a pattern with a group returns the groups, too: every second piece is the name of a parameter.
  const patterns = encodePath(template)
    .split(PARAMETER)
    .map((piece, index) => (index % 2 === 1 ? '([^/]+)' : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const expression = new RegExp(`^${patterns.join('')}$`);
  expressions.set(template, expression);
  return expression;
}
