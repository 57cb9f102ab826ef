// readOnly and writeOnly: properties that a request or a reply does not have.
import type { NormalizedDocument } from './document';
import { Mistake } from '../text/mistake';
import { holds, partsOf } from './find-schemas';
import type { NormalizedSchema } from './schema';

/** The keyword that excludes a property from requests (readOnly) or from replies (writeOnly). */
export type Mark = 'readOnly' | 'writeOnly';

/** Tells the objects that the kit itself puts around parameters, headers and body: no property of theirs is excluded. */
export const MADE_BY_KIT = Symbol('made by the kit');

/** The names of properties with a mark. One schema that marks a property is enough (JSON Schema, Validation, section 9.4). */
export function findMarked(
  document: NormalizedDocument,
  parts: readonly NormalizedSchema[],
  mark: Mark | undefined,
): ReadonlySet<string> {
  if (mark === undefined) return new Set();
  const properties = parts
    .filter((part) => !(MADE_BY_KIT in part))
    .flatMap((part) => Object.entries(part.properties ?? {}));
  const marked = properties.filter(([, property]) =>
    remember(KNOWN_TO_BE_MARKED[mark], property, () => partsOf(document, property).some((part) => part[mark] === true)),
  );
  return new Set(marked.map(([name]) => name));
}

/** Whether a schema has a property with the mark (readOnly or writeOnly), at any depth; false if no mark is given. */
export function holdsMarked(document: NormalizedDocument, schema: NormalizedSchema, mark: Mark | undefined): boolean {
  if (mark === undefined) return false;
  const hasMarked = (part: NormalizedSchema): boolean => findMarked(document, [part], mark).size > 0;
  return remember(KNOWN_TO_HOLD_MARKED[mark], schema, () => holds(document, schema, hasMarked));
}

type Known = WeakMap<NormalizedSchema, boolean>;
const KNOWN_TO_BE_MARKED: Readonly<Record<Mark, Known>> = { readOnly: new WeakMap(), writeOnly: new WeakMap() };
const KNOWN_TO_HOLD_MARKED: Readonly<Record<Mark, Known>> = { readOnly: new WeakMap(), writeOnly: new WeakMap() };

/** @throws Mistake when a mark depends on an alternative, pattern or position: properties are dropped before these are known */
export function assertMarkedAlike(document: NormalizedDocument, parts: readonly NormalizedSchema[], mark: Mark): void {
  for (const part of parts) {
    const byPatternOrPosition = [...Object.values(part.patternProperties ?? {}), ...(part.prefixItems ?? [])];
    if (byPatternOrPosition.some((schema) => holdsMarked(document, schema, mark))) {
      throw new Mistake(part, `${mark} inside patternProperties or prefixItems is not supported`);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) assertAlternativesAlike(document, part, mark, keyword);
  }
}

function assertAlternativesAlike(
  document: NormalizedDocument,
  schema: NormalizedSchema,
  mark: Mark,
  keyword: 'anyOf' | 'oneOf',
): void {
  const alternatives = (schema[keyword] ?? []).map((alternative) => {
    const parts = partsOf(document, alternative);
    const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
    return { names, marked: findMarked(document, parts, mark) };
  });
  for (const name of alternatives.flatMap(({ marked }) => [...marked])) {
    if (alternatives.every(({ names, marked }) => marked.has(name) || !names.has(name))) continue;
    const message = `${name} is ${mark} in one alternative of ${keyword} and not in the next: mark it in all`;
    throw new Mistake(schema, message, keyword);
  }
}

export function remember(known: Known, schema: NormalizedSchema, find: () => boolean): boolean {
  const found = known.get(schema) ?? find();
  known.set(schema, found);
  return found;
}
