// Collects the schema objects that apply to one value: a schema, what it refers to, and what `allOf` adds.
import type { JsonObject } from '../wire/json';
import { extendPointer, resolvePointer } from './pointer';
import { resolve, toList, type Contract } from './read-contract';
import { attempt, type SkippedError } from './skipped';

/** One schema object of the contract, and its pointer. */
export interface Place {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly skipReason?: SkippedError;
  /** Whether the schema object is without the conditions that stand at the pointer. */
  readonly isReduced?: boolean;
  /** The names of properties that a value has not, in a union member of these conditions. */
  readonly absent?: readonly string[];
}

// Cache, by contract and pointer: a contract never changes.
const flattened = new WeakMap<Contract, Map<string, readonly Place[]>>();

/** The schema objects that apply to a value: the one at the pointer, what it refers to, and what `allOf` adds. */
export function flatten(contract: Contract, pointer: string): readonly Place[] {
  const cache = flattened.get(contract) ?? new Map<string, readonly Place[]>();
  flattened.set(contract, cache);
  const cached = cache.get(pointer);
  if (cached) return cached;
  // If the schema contains itself in allOf, the inner call finds this and adds nothing.
  cache.set(pointer, []);
  const places = collectPlaces(contract, pointer);
  cache.set(pointer, places);
  return places;
}

function collectPlaces(contract: Contract, pointer: string): readonly Place[] {
  const place = readPlace(contract, pointer);
  const allOfPlaces = toList(place.schema['allOf']).flatMap((_item, index) =>
    flatten(contract, extendPointer(place.pointer, 'allOf', index)),
  );
  const isReference = place.pointer !== pointer;
  const siblings = contract.dialect.hasSiblings && isReference ? readSiblings(contract, pointer) : [];
  return [...siblings, place, ...allOfPlaces];
}

// Follows references. An unreadable schema is empty and has the reason in `skipReason`.
function readPlace(contract: Contract, pointer: string): Place {
  return attempt<Place>(
    () => {
      const { value, pointer: targetPointer } = resolve(contract, pointer);
      return { schema: value, pointer: targetPointer };
    },
    (skipReason) => ({ schema: {}, pointer, skipReason }),
  );
}

// The keywords beside the `$ref` at a pointer, as a schema object; an empty list when there are none.
function readSiblings(contract: Contract, pointer: string): Place[] {
  const schema = withoutKeyword(resolvePointer(contract.root, pointer) as JsonObject, '$ref');
  return Object.keys(schema).length > 0 ? [{ schema, pointer }] : [];
}

export function withoutKeyword(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name)));
}
