/** Adds to a document what an excerpt of it has more, at any depth. */
export function mergeInto(document: unknown, excerpt: object): void {
  const target = document as Record<string, unknown>;
  for (const [name, value] of Object.entries(excerpt) as [string, unknown][]) {
    const known = target[name];
    if (isObject(known) && isObject(value)) mergeInto(known, value);
    else target[name] = value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
