// readOnly and writeOnly: properties that a request or a reply does not have.
import type { Document } from './document';
import { Mistake } from './mistake';
import { holds, partsOf } from './parts';
import { remember } from './remember';
import type { Schema } from './schema';

/** The keyword that excludes a property from requests (readOnly) or from replies (writeOnly). */
export type Mark = 'readOnly' | 'writeOnly';

/** Marks the objects that the kit itself puts around parameters, headers and body: no property of theirs is excluded. */
export const OF_MESSAGE = Symbol('of a message');

type Marked = Schema & { readonly [OF_MESSAGE]?: true };

/**
 * Finds the names of properties with the mark. One schema that marks a property is enough (JSON Schema, Validation, section
 * 9.4).
 *
 * @param parts all schemas that describe the value (see partsOf)
 */
export function findMarked(document: Document, parts: readonly Schema[], mark: Mark | undefined): ReadonlySet<string> {
  if (mark === undefined) return new Set();
  const own = parts.filter((part: Marked) => part[OF_MESSAGE] === undefined);
  const properties = own.flatMap(({ properties = {} }) => Object.entries(properties));
  const marked = properties.filter(([, property]) => isMarked(document, property, mark));
  return new Set(marked.map(([name]) => name));
}

function isMarked(document: Document, property: Schema, mark: Mark): boolean {
  return remember(MARKED[mark], property, () => partsOf(document, property).some((part) => part[mark] === true));
}

/** Whether a schema has a property with the mark, at any depth. */
export function holdsMarked(document: Document, schema: Schema, mark: Mark | undefined): boolean {
  if (mark === undefined) return false;
  const has = (part: Schema): boolean => findMarked(document, [part], mark).size > 0;
  return remember(HOLDING[mark], schema, () => holds(document, schema, has));
}

const MARKED = { readOnly: new WeakMap<Schema, boolean>(), writeOnly: new WeakMap<Schema, boolean>() };
const HOLDING = { readOnly: new WeakMap<Schema, boolean>(), writeOnly: new WeakMap<Schema, boolean>() };

/**
 * Asserts that a property has the mark (readOnly or writeOnly) in each alternative or in none, and that no mark depends on a
 * pattern or a position: the kit drops properties before it knows what a value matches.
 *
 * @param parts all schemas that describe the value (see partsOf)
 * @throws Mistake
 */
export function assertMarkedAlike(document: Document, parts: readonly Schema[], mark: Mark): void {
  for (const part of parts) {
    for (const child of [...Object.values(part.patternProperties ?? {}), ...(part.prefixItems ?? [])]) {
      if (holdsMarked(document, child, mark))
        throw new Mistake(part, `${mark} inside patternProperties or prefixItems is not supported`);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const alternatives = (part[keyword] ?? []).map((one) => partsOf(document, one));
      for (const name of new Set(alternatives.flatMap((one) => [...findMarked(document, one, mark)]))) {
        const declaring = alternatives.filter((one) =>
          one.some(({ properties = {} }) => Object.hasOwn(properties, name)),
        );
        if (declaring.every((one) => findMarked(document, one, mark).has(name))) continue;
        throw new Mistake(
          part,
          `${name} is ${mark} in one alternative of ${keyword} and not in the next: mark it in all`,
          keyword,
        );
      }
    }
  }
}
