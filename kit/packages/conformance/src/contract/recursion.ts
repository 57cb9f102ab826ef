// Finds recursive schemas, and where a value begins to repeat them.
import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { schemaObjectsAt, type SchemaObject } from './flatten';
import { extendPointer } from './pointer';
import type { Contract } from './read-contract';
import { ASSERTED_CONTENT } from './sequences';

/** The position of a schema in a recursion. A value enters the recursion through the `entry` schemas. */
export interface Recursion {
  /** The distance of each schema object from the entry, keyed by pointer. */
  readonly distances: ReadonlyMap<string, number>;
  readonly entry: string;
  readonly distance: number;
  /** Number of schemas since the path began to repeat. Above 0, values are made as small as possible. */
  readonly excess: number;
}

const SINGLE_SCHEMA_KEYWORDS = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', ASSERTED_CONTENT],
];
const SCHEMA_COLLECTION_KEYWORDS = [
  ...['properties', 'patternProperties', 'dependencies', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'],
];

/** Skips boolean schemas, and dependencies that are lists of names. */
export function subschemasOf(contract: Contract, { keywords, pointer }: SchemaObject): SchemaObject[] {
  const singleSchemaKeywords = SINGLE_SCHEMA_KEYWORDS.filter((keyword) => isJsonObject(keywords[keyword]));
  const collectionKeys = SCHEMA_COLLECTION_KEYWORDS.flatMap((keyword) =>
    Object.entries<Json>(Object(keywords[keyword]) as JsonObject)
      .filter(([, subschema]) => isJsonObject(subschema))
      .map(([key]) => [keyword, key]),
  );
  return [...singleSchemaKeywords.map((keyword) => [keyword]), ...collectionKeys].flatMap((keys) =>
    schemaObjectsAt(contract, extendPointer(pointer, ...keys)),
  );
}

/** Returns undefined if none of the schema objects is recursive. */
export function enterRecursion(contract: Contract, schemaObjects: readonly SchemaObject[]): Recursion | undefined {
  const { componentOf, distancesFrom } = graphOf(contract);
  const entries = schemaObjects.map(({ pointer }) => pointer).filter((pointer) => componentOf(pointer) !== undefined);
  if (entries.length === 0) return undefined;
  return { distances: distancesFrom(entries), entry: entries.join(), distance: 0, excess: 0 };
}

interface ParentSchema {
  readonly contract: Contract;
  readonly schemaObjects: readonly SchemaObject[];
  readonly recursion: Recursion | undefined;
}

/** Moves to schema objects for the same value or a part of it. Returns `fallback` if they are not in the recursion. */
export function followRecursion(
  { contract, schemaObjects, recursion }: ParentSchema,
  addedObjects: readonly SchemaObject[],
  fallback: Recursion | undefined,
): Recursion | undefined {
  const { componentOf } = graphOf(contract);
  const components = new Set(schemaObjects.map(({ pointer }) => componentOf(pointer)));
  components.delete(undefined);
  const distances = addedObjects
    .filter(({ pointer }) => components.has(componentOf(pointer)))
    .flatMap(({ pointer }) => recursion?.distances.get(pointer) ?? []);
  if (!recursion || distances.length === 0) return fallback;
  const distance = Math.max(...distances);
  const isRepeating = recursion.excess > 0 || distance <= recursion.distance;
  return { ...recursion, distance, excess: isRepeating ? recursion.excess + 1 : 0 };
}

interface SchemaGraph {
  /** Returns the same number for schema objects that contain each other, or undefined if this one is not recursive. */
  readonly componentOf: (pointer: string) => number | undefined;
  readonly distancesFrom: (entries: readonly string[]) => ReadonlyMap<string, number>;
}

const graphs = new WeakMap<Contract, SchemaGraph>();

function graphOf(contract: Contract): SchemaGraph {
  const graph = graphs.get(contract) ?? createGraph(contract);
  graphs.set(contract, graph);
  return graph;
}

// Runs Tarjan's algorithm lazily, for one schema object at a time.
function createGraph(contract: Contract): SchemaGraph {
  const components = new Map<string, number | undefined>();
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const distanceCache = new Map<string, ReadonlyMap<string, number>>();
  return { componentOf, distancesFrom };

  function subschemaPointersOf(pointer: string): string[] {
    const object = schemaObjectsAt(contract, pointer).find((candidate) => candidate.pointer === pointer);
    return object ? subschemasOf(contract, object).map((subschema) => subschema.pointer) : [];
  }

  function componentOf(pointer: string): number | undefined {
    if (!components.has(pointer)) connect(pointer);
    return components.get(pointer);
  }

  // Returns the lowest index on the stack that is reachable from this schema object.
  function connect(pointer: string): number {
    const index = indexes.size;
    indexes.set(pointer, index);
    stack.push(pointer);
    const subschemaPointers = subschemaPointersOf(pointer);
    let lowestIndex = index;
    for (const subschemaPointer of subschemaPointers) {
      if (components.has(subschemaPointer)) continue;
      lowestIndex = Math.min(lowestIndex, indexes.get(subschemaPointer) ?? connect(subschemaPointer));
    }
    if (lowestIndex < index) return lowestIndex;
    const members = stack.splice(stack.lastIndexOf(pointer));
    const isRecursive = members.length > 1 || subschemaPointers.includes(pointer);
    for (const member of members) components.set(member, isRecursive ? index : undefined);
    return lowestIndex;
  }

  function distancesFrom(entries: readonly string[]): ReadonlyMap<string, number> {
    const key = entries.join();
    const cached = distanceCache.get(key);
    if (cached) return cached;
    const distances = new Map(entries.map((entry) => [entry, 0]));
    const entryComponents = new Set(entries.map(componentOf));
    // The map grows during the loop.
    for (const [pointer, distance] of distances)
      for (const subschemaPointer of subschemaPointersOf(pointer))
        if (entryComponents.has(componentOf(subschemaPointer)) && !distances.has(subschemaPointer))
          distances.set(subschemaPointer, distance + 1);
    distanceCache.set(key, distances);
    return distances;
  }
}
