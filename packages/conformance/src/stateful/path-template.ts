// Reads paths with parameters, such as `/books/{bookId}`.

const PARAMETER = /\{([^}]*)\}/g;

/** The names of the parameters of a path, in their order. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/**
 * Removes the names of a path's parameters, so that equal paths can be compared.
 *
 * @example shapeOf('/books/{id}') === shapeOf('/books/{bookId}') // true
 */
export function shapeOf(template: string): string {
  return template.replace(PARAMETER, '{}').replace(/(?<=.)\/$/, '');
}

/** Reads the values of the parameters from a path; undefined when it does not match the template. */
export function readPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const parts = template
    .split(PARAMETER)
    .map((part, index) => (index % 2 === 1 ? '([^/]+)' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const [, ...texts] = new RegExp(`^${parts.join('')}$`).exec(path) ?? [];
  const names = parametersOf(template);
  if (texts.length === 0 || texts.length !== names.length) return undefined;
  try {
    return new Map(names.map((name, index) => [name, decodeURIComponent(texts[index] ?? '')]));
  } catch {
    // The percent encoding is malformed.
    return undefined;
  }
}
