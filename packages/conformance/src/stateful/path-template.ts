// Reads paths with parameters, such as `/books/{bookId}`.

const PARAMETER = /\{([^}]*)\}/g;

/** The names of the parameters of a path, in their order. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/**
 * A path with nothing of the names of its parameters, which may be others in another path.
 *
 * @example shapeOf('/books/{id}') === shapeOf('/books/{bookId}') // true
 */
export function shapeOf(template: string): string {
  return template.replace(PARAMETER, '{}').replace(/(?<=.)\/$/, '');
}

/** The texts that the parameters have in a path; undefined where the path is another one. */
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
    // It has an encoding that is none.
    return undefined;
  }
}
