// Collects the schema objects that apply to the same value: a schema, its reference targets and its `allOf` items.
import { omit, type JsonObject } from '../wire/json';
import { extendPointer, resolvePointer } from './pointer';
import { resolve, toList, type Contract } from './read-contract';
import { attempt, type SkippedError } from './skipped';

export interface SchemaObject {
  readonly keywords: JsonObject;
  readonly pointer: string;
  readonly skipReason?: SkippedError;
  readonly isWithoutConditions?: boolean;
  /** Properties that a value must not have, so that no `dependentSchemas` apply. */
  readonly absentProperties?: readonly string[];
}

const cacheByContract = new WeakMap<Contract, Map<string, readonly SchemaObject[]>>();

export function schemaObjectsAt(contract: Contract, pointer: string): readonly SchemaObject[] {
  const cache = cacheByContract.get(contract) ?? new Map<string, readonly SchemaObject[]>();
  cacheByContract.set(contract, cache);
  const cached = cache.get(pointer);
  if (cached) return cached;
  // If a schema contains itself in allOf, the recursive call finds this empty entry and stops.
  cache.set(pointer, []);
  const schemaObjects = readSchemaObjects(contract, pointer);
  cache.set(pointer, schemaObjects);
  return schemaObjects;
}

function readSchemaObjects(contract: Contract, pointer: string): readonly SchemaObject[] {
  const schemaObject = attempt<SchemaObject>(
    () => {
      const { value: keywords, pointer: targetPointer } = resolve(contract, pointer);
      return { keywords, pointer: targetPointer };
    },
    (skipReason) => ({ keywords: {}, pointer, skipReason }),
  );
  const allOfObjects = toList(schemaObject.keywords['allOf']).flatMap((_item, index) =>
    schemaObjectsAt(contract, extendPointer(schemaObject.pointer, 'allOf', index)),
  );
  const siblings = contract.dialect.hasSiblings ? readSiblings(contract, pointer, schemaObject.pointer) : [];
  return uniqueByPointer([...siblings, schemaObject, ...allOfObjects]);
}

/** Removes duplicates, since several references can have the same target. */
export function uniqueByPointer(schemaObjects: readonly SchemaObject[]): readonly SchemaObject[] {
  const pointers = new Set<string>();
  return schemaObjects.filter(({ pointer }) => pointers.size < pointers.add(pointer).size);
}

// Each reference between a pointer and its target can have keywords next to it.
function readSiblings(contract: Contract, pointer: string, target: string): SchemaObject[] {
  if (pointer === target) return [];
  const reference = resolvePointer(contract.root, pointer) as { readonly $ref: string };
  const keywords = omit(reference, '$ref');
  const own = Object.keys(keywords).length > 0 ? [{ keywords, pointer }] : [];
  return [...own, ...readSiblings(contract, reference.$ref, target)];
}
