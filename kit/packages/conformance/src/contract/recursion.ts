// Finds which schemas lead back to themselves, and where a value begins to repeat them.
import { isJsonObject, type Json, type JsonObject } from '../wire/json';
import { schemaObjectsAt, type SchemaObject } from './flatten';
import { extendPointer } from './pointer';
import type { Contract } from './read-contract';
import { ASSERTED_CONTENT } from './sequences';

/** Where a schema is in a recursion, counted from the schema through which a value enters it. */
export interface Recursion {
  /** How far each schema object of the recursion is from the entry, by pointer. */
  readonly distances: ReadonlyMap<string, number>;
  readonly entry: string;
  readonly distance: number;
  /** How many schemas ago the path led back. Once it does, values are made as small as possible. */
  readonly excess: number;
}

const WITH_SCHEMA = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', ASSERTED_CONTENT],
];
const WITH_SCHEMAS = [
  ...['properties', 'patternProperties', 'dependencies', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'],
];

/** Leaves out booleans, as in `additionalProperties`, and dependencies that are lists of names. */
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

/** Enters at the outermost schema of a value, or at one below a schema of another recursion. */
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

/** Adds schema objects for the same value or a part of it; `otherwise` when they do not lead back. */
export function followRecursion(
  { contract, schemaObjects, recursion }: ParentSchema,
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
  /** Equal for schema objects that lead to each other; undefined for one that does not lead to itself. */
  readonly componentOf: (pointer: string) => number | undefined;
  readonly distancesFrom: (entries: readonly string[]) => ReadonlyMap<string, number>;
}

const graphs = new WeakMap<Contract, SchemaGraph>();

function graphOf(contract: Contract): SchemaGraph {
  const graph = graphs.get(contract) ?? createGraph(contract);
  graphs.set(contract, graph);
  return graph;
}

// Tarjan's algorithm, run for each schema object when it is asked for.
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

  // Returns the lowest index among the schema objects on the stack that this one leads to.
  function connect(pointer: string): number {
    const index = indexes.size;
    indexes.set(pointer, index);
    stack.push(pointer);
    const subschemaPointers = subschemaPointersOf(pointer);
    let earliest = index;
    for (const subschemaPointer of subschemaPointers) {
      if (components.has(subschemaPointer)) continue;
      earliest = Math.min(earliest, indexes.get(subschemaPointer) ?? connect(subschemaPointer));
    }
    if (earliest < index) return earliest;
    const members = stack.splice(stack.lastIndexOf(pointer));
    const isRecursive = members.length > 1 || subschemaPointers.includes(pointer);
    for (const member of members) components.set(member, isRecursive ? index : undefined);
    return earliest;
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
