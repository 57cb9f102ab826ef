// Path templates such as `/books/{id}`.
const PARAMETER = /\{([^}]*)\}/g;

/** Returns `['shelf', 'book']` for `/shelves/{shelf}/books/{book}`. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/** Removes parameter names and a trailing slash: `/books/{bookId}/` becomes `/books/{}`. */
export function normalizePath(template: string): string {
  // The lookbehind keeps the slash of the path `/`.
  return template.replace(PARAMETER, '{}').replace(/(?<=.)\/$/, '');
}

export function isSamePath(left: string, right: string): boolean {
  return normalizePath(left) === normalizePath(right);
}

/** Returns `/books` for `/books/{bookId}`. */
export function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/{'));
}

/** Escapes characters that a request target cannot contain, such as a space (RFC 3986 section 3.3). */
export function encodePath(template: string): string {
  return template.replace(/[^\w.~!$&'()*+,;=:@%/{}?-]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

/** Reads the parameters of a path. Returns undefined if the path is malformed or does not match. */
export function readPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const texts = toExpression(template).exec(path)?.slice(1) ?? [];
  const names = parametersOf(template);
  if (texts.length === 0 || texts.length !== names.length) return undefined;
  try {
    return new Map(names.map((name, index) => [name, decodeURIComponent(texts[index] ?? '')]));
  } catch {
    return undefined;
  }
}

export function matchesPath(template: string, path: string): boolean {
  return toExpression(template).test(path);
}

const expressionCache = new Map<string, RegExp>();

function toExpression(template: string): RegExp {
  const cached = expressionCache.get(template);
  if (cached) return cached;
  // The pattern has a group, so `split` returns a parameter name as every second piece.
  const patterns = encodePath(template)
    .split(PARAMETER)
    .map((piece, index) => (index % 2 === 1 ? '([^/]+)' : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const expression = new RegExp(`^${patterns.join('')}$`);
  expressionCache.set(template, expression);
  return expression;
}
