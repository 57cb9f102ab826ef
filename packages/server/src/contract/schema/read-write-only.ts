// readOnly and writeOnly: properties that a request or a reply does not have.
import type { Document } from './document';
import { Mistake } from '../text/mistake';
import { holds, partsOf } from './parts';
import type { Schema } from './schema';

/** The keyword that excludes a property from requests (readOnly) or from replies (writeOnly). */
export type Mark = 'readOnly' | 'writeOnly';

/** Tells the objects that the kit itself puts around parameters, headers and body: no property of theirs is excluded. */
export const MADE_BY_KIT = Symbol('made by the kit');

type MaybeMadeByKit = Schema & { readonly [MADE_BY_KIT]?: true };

/** The names of properties with a mark. One schema that marks a property is enough (JSON Schema, Validation, section 9.4). */
export function findMarked(document: Document, parts: readonly Schema[], mark: Mark | undefined): ReadonlySet<string> {
  if (mark === undefined) return new Set();
  // What the kit puts around parameters, headers and body has properties too, such as `query`: they are never marked.
  const ofContract = parts.filter((part: MaybeMadeByKit) => part[MADE_BY_KIT] === undefined);
  const properties = ofContract.flatMap((part) => Object.entries(part.properties ?? {}));
  const marked = properties.filter(([, property]) => isMarked(document, property, mark));
  return new Set(marked.map(([name]) => name));
}

function isMarked(document: Document, property: Schema, mark: Mark): boolean {
  const known = KNOWN_TO_BE_MARKED[mark];
  return remember(known, property, () => partsOf(document, property).some((part) => part[mark] === true));
}

/** Whether a schema has a property with the mark (readOnly or writeOnly), at any depth; false if no mark is given. */
export function holdsMarked(document: Document, schema: Schema, mark: Mark | undefined): boolean {
  if (mark === undefined) return false;
  const hasMarked = (part: Schema): boolean => findMarked(document, [part], mark).size > 0;
  return remember(KNOWN_TO_HOLD_MARKED[mark], schema, () => holds(document, schema, hasMarked));
}

const KNOWN_TO_BE_MARKED = { readOnly: new WeakMap<Schema, boolean>(), writeOnly: new WeakMap<Schema, boolean>() };
const KNOWN_TO_HOLD_MARKED = { readOnly: new WeakMap<Schema, boolean>(), writeOnly: new WeakMap<Schema, boolean>() };

/** @throws Mistake when a mark depends on an alternative, pattern or position: properties are dropped before these are known */
export function assertMarkedAlike(document: Document, parts: readonly Schema[], mark: Mark): void {
  for (const part of parts) {
    const byPatternOrPosition = [...Object.values(part.patternProperties ?? {}), ...(part.prefixItems ?? [])];
    if (byPatternOrPosition.some((schema) => holdsMarked(document, schema, mark))) {
      throw new Mistake(part, `${mark} inside patternProperties or prefixItems is not supported`);
    }
    assertAlternativesAlike(document, part, mark, 'anyOf');
    assertAlternativesAlike(document, part, mark, 'oneOf');
  }
}

function assertAlternativesAlike(document: Document, schema: Schema, mark: Mark, keyword: 'anyOf' | 'oneOf'): void {
  const alternatives = (schema[keyword] ?? []).map((alternative) => {
    const parts = partsOf(document, alternative);
    const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
    return { names, marked: findMarked(document, parts, mark) };
  });
  const allMarked = new Set(alternatives.flatMap(({ marked }) => [...marked]));
  for (const name of allMarked) {
    if (alternatives.every(({ names, marked }) => marked.has(name) || !names.has(name))) continue;
    const message = `${name} is ${mark} in one alternative of ${keyword} and not in the next: mark it in all`;
    throw new Mistake(schema, message, keyword);
  }
}

export function remember(known: WeakMap<Schema, boolean>, schema: Schema, find: () => boolean): boolean {
  const found = known.get(schema) ?? find();
  known.set(schema, found);
  return found;
}
