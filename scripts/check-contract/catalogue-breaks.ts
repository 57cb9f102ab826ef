import { isObject, pointerTo, type JsonObject } from './json';
import { placeOf, unknownChanges, children, type Place } from './place';
import type { Problem } from './problem';

const CATALOGUE = 'x-error-catalogue';

/** Where the error catalogue breaks clients, who know errors by their numbers and names. */
export function catalogueBreaks({ documents }: Pick<Place, 'documents'>): Problem[] {
  const before = findCatalogue(documents.before, '#');
  const after = findCatalogue(documents.after, '#');
  if (!before) return [];
  return children(placeOf({ documents }, before.pointer, before.rows, after?.rows)).flatMap(([name, row]) => {
    if (!row.before) return [];
    if (!row.after) return [{ pointer: row.pointer, message: `${name} (${String(row.before['number'])}) is gone` }];
    return unknownChanges(row, ['meaning'], `clients know ${name} otherwise`);
  });
}

function findCatalogue(node: object, pointer: string): { pointer: string; rows: JsonObject } | undefined {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    const below = pointerTo(pointer, key);
    if (key === CATALOGUE && isObject(value)) return { pointer: below, rows: value };
    const found = typeof value === 'object' && value !== null ? findCatalogue(value, below) : undefined;
    if (found) return found;
  }
  return undefined;
}
