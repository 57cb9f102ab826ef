// A place in two contracts that are compared.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { canonicalMembers } from './canonical-members';
import { isObject, pointerTo, type JsonObject, type Problem } from './problem';

/** The same JSON pointer in two contracts. */
export interface Place {
  /** As if every reference and every allOf were written out. */
  readonly pointer: string;
  /** The object there, with references followed; undefined if there is none. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly documents: { readonly before: Document; readonly after: Document };
}

export function placeOf(
  { documents }: Pick<Place, 'documents'>,
  pointer: string,
  before: unknown,
  after: unknown,
): Place {
  return { pointer, before: follow(documents.before, before), after: follow(documents.after, after), documents };
}

export function child(place: Place, key: string): Place {
  return placeOf(place, pointerTo(place.pointer, key), place.before?.[key], place.after?.[key]);
}

/** The children under the names that occur in either contract. */
export function children(place: Place): [name: string, Place][] {
  const names = new Set([...Object.keys(place.before ?? {}), ...Object.keys(place.after ?? {})]);
  return [...names].map((name) => [name, child(place, name)]);
}

/**
 * Reports each change of an unknown keyword as a break, since it may be one.
 *
 * @param known the keywords that are compared elsewhere
 */
export function unknownChanges(
  place: Place,
  known: readonly string[],
  effect = 'cannot tell what this changes',
): Problem[] {
  const before = canonicalMembers(place.documents.before, place.before ?? {});
  const after = canonicalMembers(place.documents.after, place.after ?? {});
  const keywords = new Set([...before.keys(), ...after.keys()]);
  return [...keywords]
    .filter((keyword) => !known.includes(keyword) && before.get(keyword) !== after.get(keyword))
    .map((keyword) => ({
      pointer: pointerTo(place.pointer, keyword),
      message: `${before.get(keyword) ?? 'none'} -> ${after.get(keyword) ?? 'none'}; ${effect}`,
    }));
}

function follow(document: Document, node: unknown): JsonObject | undefined {
  return isObject(node) ? resolveReference(document, node) : undefined;
}
