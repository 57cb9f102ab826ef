import { omit, type Json } from '../wire/json';
import { schemaObjectsAt, uniqueByPointer, type SchemaObject } from './flatten';
import { extendPointer } from './pointer';
import { toList } from './read-contract';
import { enterRecursion, followRecursion } from './recursion';
import { childrenOf, propertiesOf, rulesOf, typesOf, type Schema, type TypeName } from './schema';

/** The alternatives of a oneOf, an anyOf or conditions. Each member is merged with the rest of the schema. */
export interface Union {
  readonly keyword: string;
  readonly members: readonly Schema[];
}

/** Returns the first oneOf or anyOf, or else the conditions, as a union. */
export function unionOf(schema: Schema): Union | undefined {
  const { schemaObjects } = schema;
  for (const [index, schemaObject] of schemaObjects.entries()) {
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => schemaObject.keywords[name] !== undefined);
    if (keyword === undefined) continue;
    const { [keyword]: members, ...rest } = schemaObject.keywords;
    const otherSchemaObjects = schemaObjects.with(index, { ...schemaObject, keywords: rest });
    return {
      keyword,
      members: chooseAlternatives(schema, schemaObject, toList(members)).map((_member, memberIndex, chosen) =>
        mergeMember(
          schema,
          otherSchemaObjects,
          [extendPointer(schemaObject.pointer, keyword, memberIndex)],
          schema.alternatives * chosen.length,
        ),
      ),
    };
  }
  return conditionsOf(schema);
}

// Combinations multiply when unions are nested. Beyond this number, only the first member of a union is tried.
const MAX_ALTERNATIVES = 100;

function chooseAlternatives(
  { contract, alternatives }: Schema,
  { pointer }: SchemaObject,
  members: readonly Json[],
): readonly Json[] {
  if (alternatives === 1 || alternatives * members.length <= MAX_ALTERNATIVES) return members;
  contract.skipped.add({ reason: 'combinations of union members beyond the first hundred', pointer });
  return members.slice(0, 1);
}

function mergeMember(
  schema: Schema,
  commonObjects: readonly SchemaObject[],
  pointers: readonly string[],
  alternatives = schema.alternatives,
): Schema {
  const addedObjects = pointers.flatMap((pointer) => schemaObjectsAt(schema.contract, pointer));
  const schemaObjects = uniqueByPointer([...commonObjects, ...addedObjects]);
  const recursion = schema.recursion ?? enterRecursion(schema.contract, schemaObjects);
  return { ...schema, schemaObjects, recursion: followRecursion(schema, addedObjects, recursion), alternatives };
}

// Returns a member for each `if`, in which that one holds, and a member in which none holds; `dependentSchemas` apply
// to all of these. If there are any, one more member has none of them.
function conditionsOf(schema: Schema): Union | undefined {
  const { schemaObjects } = schema;
  const hasIf = rulesOf(schema, 'if').length > 0;
  if (!hasIf && rulesOf(schema, 'dependentSchemas').length === 0) return undefined;
  const commonObjects = schemaObjects.map((schemaObject) => ({
    ...schemaObject,
    isWithoutConditions: true,
    keywords: omit(schemaObject.keywords, 'if', 'then', 'else', 'dependentSchemas'),
  }));
  const pointersIfTrue = rulesOf(schema, 'if').map(({ schemaObject: { keywords, pointer } }) =>
    ['if', 'then'].filter((name) => keywords[name] !== undefined).map((name) => extendPointer(pointer, name)),
  );
  const pointersIfFalse = rulesOf(schema, 'else').map(({ schemaObject: { pointer } }) =>
    extendPointer(pointer, 'else'),
  );
  const dependentSchemas = childrenOf(schema, 'dependentSchemas');
  const absentProperties = dependentSchemas.map(([name]) => name);
  const dependentPointers = dependentSchemas.map(([, pointer]) => pointer);
  return {
    keyword: hasIf ? 'if' : 'dependentSchemas',
    members: [
      ...[...pointersIfTrue, pointersIfFalse].map((branchPointers) =>
        mergeMember(schema, commonObjects, [...branchPointers, ...dependentPointers]),
      ),
      ...(dependentSchemas.length === 0
        ? []
        : [{ ...schema, schemaObjects: commonObjects.map((schemaObject) => ({ ...schemaObject, absentProperties })) }]),
    ],
  };
}

/** Returns a schema for each combination of union members, or the schema itself if it has no unions. */
export function unionMembersOf(schema: Schema): readonly Schema[] {
  const union = unionOf(schema);
  return union ? union.members.flatMap(unionMembersOf) : [schema];
}

/** The properties of all alternatives. One that several declare has the rules of each, of which only some may hold. */
export function allPropertiesOf(schema: Schema): Map<string, Schema> {
  const members = unionMembersOf(schema);
  const all = new Map<string, Schema>();
  for (const [name, property] of members.flatMap((member) => [...propertiesOf(member)]))
    all.set(name, { ...mergeAlternatives(all.get(name) ?? property, property), alternatives: members.length });
  return all;
}

export function mergeAlternatives(first: Schema, other: Schema): Schema {
  return { ...first, schemaObjects: uniqueByPointer([...first.schemaObjects, ...other.schemaObjects]) };
}

export function unionTypesOf(schema: Schema): ReadonlySet<TypeName> {
  return new Set(unionMembersOf(schema).flatMap((member) => [...typesOf(member)]));
}

/** Pairs each `not` with a schema that requires what the `not` excludes. Every value of that schema is invalid. */
export function negationsOf(schema: Schema): { readonly pointer: string; readonly opposite: Schema }[] {
  const { schemaObjects } = schema;
  return rulesOf(schema, 'not').map(({ schemaObject }) => {
    const withoutNot = { ...schemaObject, keywords: omit(schemaObject.keywords, 'not') };
    const rest = schemaObjects.map((sibling) => (sibling === schemaObject ? withoutNot : sibling));
    const { pointer } = schemaObject;
    return { pointer, opposite: mergeMember(schema, rest, [extendPointer(pointer, 'not')]) };
  });
}
