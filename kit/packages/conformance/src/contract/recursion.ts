// Finds which schemas lead back to themselves, and where a value begins to repeat them.
import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { schemaObjectsAt, type SchemaObject } from './flatten';
import { extendPointer } from './pointer';
import type { Contract } from './read-contract';
import { ASSERTED_CONTENT } from './sequences';

/** Where a schema stands in a recursion: from the schema that a value enters it by, on the shortest way. */
export interface Recursion {
  /** By the pointer of each schema object of the recursion: how far it is from the entry. */
  readonly distances: ReadonlyMap<string, number>;
  readonly entry: string;
  readonly distance: number;
  /** How many schemas ago the way led back: the values of such a schema are as small as they can be. */
  readonly excess: number;
}

const WITH_SCHEMA = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', ASSERTED_CONTENT],
];
// Keywords whose value is an object or a list of schemas.
const WITH_SCHEMAS = [
  ...['properties', 'patternProperties', 'dependencies', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'],
];

/** Leaves out what is not an object: `additionalProperties` may be a boolean, and a dependency a list of names. */
export function subschemasOf(contract: Contract, { keywords, pointer }: SchemaObject): SchemaObject[] {
  const single = WITH_SCHEMA.filter((keyword) => isJsonObject(keywords[keyword]));
  const several = WITH_SCHEMAS.flatMap((keyword) =>
    Object.entries<Json>(Object(keywords[keyword]) as JsonObject)
      .filter(([, subschema]) => isJsonObject(subschema))
      .map(([key]) => [keyword, key]),
  );
  return [...single.map((keyword) => [keyword]), ...several].flatMap((keys) =>
    schemaObjectsAt(contract, extendPointer(pointer, ...keys)),
  );
}

/** Where the schema objects stand that a value has at its outermost, or behind a schema of another recursion. */
export function enterRecursion(contract: Contract, schemaObjects: readonly SchemaObject[]): Recursion | undefined {
  const { componentOf, distancesFrom } = graphOf(contract);
  const entries = schemaObjects.map(({ pointer }) => pointer).filter((pointer) => componentOf(pointer) !== undefined);
  if (entries.length === 0) return undefined;
  return { distances: distancesFrom(entries), entry: entries.join(), distance: 0, excess: 0 };
}

interface Place {
  readonly contract: Contract;
  readonly schemaObjects: readonly SchemaObject[];
  readonly recursion: Recursion | undefined;
}

/**
 * Where the schema objects stand that are added for the same value, or for a part of it.
 *
 * @param otherwise where they do not lead back to those that they are added to
 */
export function followRecursion(
  { contract, schemaObjects, recursion }: Place,
  added: readonly SchemaObject[],
  otherwise: Recursion | undefined,
): Recursion | undefined {
  const { componentOf } = graphOf(contract);
  const components = new Set(schemaObjects.map(({ pointer }) => componentOf(pointer)));
  components.delete(undefined);
  const distances = added
    .filter(({ pointer }) => components.has(componentOf(pointer)))
    .flatMap(({ pointer }) => recursion?.distances.get(pointer) ?? []);
  if (!recursion || distances.length === 0) return otherwise;
  const distance = Math.max(...distances);
  const isBack = recursion.excess > 0 || distance <= recursion.distance;
  return { ...recursion, distance, excess: isBack ? recursion.excess + 1 : 0 };
}

interface SchemaGraph {
  /** The same number for schema objects that lead to each other; undefined for one that does not lead to itself. */
  readonly componentOf: (pointer: string) => number | undefined;
  readonly distancesFrom: (entries: readonly string[]) => ReadonlyMap<string, number>;
}

const graphs = new WeakMap<Contract, SchemaGraph>();

function graphOf(contract: Contract): SchemaGraph {
  const graph = graphs.get(contract) ?? createGraph(contract);
  graphs.set(contract, graph);
  return graph;
}

// The components are found by Tarjan's algorithm, each schema object when it is asked for.
function createGraph(contract: Contract): SchemaGraph {
  const components = new Map<string, number | undefined>();
  const indexes = new Map<string, number>();
  const open: string[] = [];
  const known = new Map<string, ReadonlyMap<string, number>>();
  return { componentOf, distancesFrom };

  function partsOf(pointer: string): string[] {
    const object = schemaObjectsAt(contract, pointer).find((each) => each.pointer === pointer);
    return object ? subschemasOf(contract, object).map((part) => part.pointer) : [];
  }

  function componentOf(pointer: string): number | undefined {
    if (!components.has(pointer)) connect(pointer);
    return components.get(pointer);
  }

  // Returns the earliest schema object of those still open that this one leads to.
  function connect(pointer: string): number {
    const index = indexes.size;
    indexes.set(pointer, index);
    open.push(pointer);
    const parts = partsOf(pointer);
    let earliest = index;
    for (const part of parts) {
      if (components.has(part)) continue;
      earliest = Math.min(earliest, indexes.get(part) ?? connect(part));
    }
    if (earliest < index) return earliest;
    const members = open.splice(open.lastIndexOf(pointer));
    const isRecursive = members.length > 1 || parts.includes(pointer);
    for (const member of members) components.set(member, isRecursive ? index : undefined);
    return earliest;
  }

  function distancesFrom(entries: readonly string[]): ReadonlyMap<string, number> {
    const key = entries.join();
    const found = known.get(key);
    if (found) return found;
    const distances = new Map(entries.map((entry) => [entry, 0]));
    const wanted = new Set(entries.map(componentOf));
    // The map grows during the loop.
    for (const [pointer, distance] of distances)
      for (const part of partsOf(pointer))
        if (wanted.has(componentOf(part)) && !distances.has(part)) distances.set(part, distance + 1);
    known.set(key, distances);
    return distances;
  }
}
