// Reads the alternatives of a schema: oneOf, anyOf, conditions, and what `not` excludes.
import { omit, type Json } from '../wire/json';
import { schemaObjectsAt, uniqueByPointer, type SchemaObject } from './flatten';
import { extendPointer } from './pointer';
import { toList } from './read-contract';
import { enterRecursion, followRecursion } from './recursion';
import { childrenOf, rulesOf, typesOf, type Schema, type TypeName } from './schema';

/** The union of a oneOf, an anyOf or conditions: its members, each merged with the rest of the schema. */
export interface Union {
  readonly keyword: string;
  readonly members: readonly Schema[];
}

/** The union of the first oneOf or anyOf, or else that of the conditions. */
export function unionOf(schema: Schema): Union | undefined {
  const { schemaObjects: places } = schema;
  for (const [index, place] of places.entries()) {
    const keyword = (['oneOf', 'anyOf'] as const).find((name) => place.keywords[name] !== undefined);
    if (keyword === undefined) continue;
    const { [keyword]: members, ...rest } = place.keywords;
    const common = places.with(index, { ...place, keywords: rest });
    return {
      keyword,
      members: chooseAlternatives(schema, place, toList(members)).map((_member, memberIndex, chosen) =>
        narrow(
          schema,
          common,
          [extendPointer(place.pointer, keyword, memberIndex)],
          schema.alternatives * chosen.length,
        ),
      ),
    };
  }
  return conditionsOf(schema);
}

// Unions inside unions of one value multiply: beyond so many combinations, only the first member of each is tried.
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

// The schema of the same value with `kept` for its schema objects, and with those at the pointers.
function narrow(
  schema: Schema,
  kept: readonly SchemaObject[],
  pointers: readonly string[],
  alternatives = schema.alternatives,
): Schema {
  const added = pointers.flatMap((pointer) => schemaObjectsAt(schema.contract, pointer));
  const schemaObjects = uniqueByPointer([...kept, ...added]);
  const recursion = schema.recursion ?? enterRecursion(schema.contract, schemaObjects);
  return { ...schema, schemaObjects, recursion: followRecursion(schema, added, recursion), alternatives };
}

// A union member where each `if` holds, one where none does, each with all of `dependentSchemas`, and one without these.
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
  const dependent = childrenOf(schema, 'dependentSchemas');
  const absentProperties = dependent.map(([name]) => name);
  const dependentPointers = dependent.map(([, pointer]) => pointer);
  return {
    keyword: hasIf ? 'if' : 'dependentSchemas',
    members: [
      ...[...pointersIfTrue, pointersIfFalse].map((own) =>
        narrow(schema, commonObjects, [...own, ...dependentPointers]),
      ),
      ...(dependent.length === 0
        ? []
        : [{ ...schema, schemaObjects: commonObjects.map((schemaObject) => ({ ...schemaObject, absentProperties })) }]),
    ],
  };
}

/** The schema without oneOf and anyOf: one for each combination of members; the schema itself when it has neither. */
export function unionMembersOf(schema: Schema): readonly Schema[] {
  const union = unionOf(schema);
  return union ? union.members.flatMap(unionMembersOf) : [schema];
}

/** The types that the union members allow, or the schema itself when it has none. */
export function unionTypesOf(schema: Schema): ReadonlySet<TypeName> {
  return new Set(unionMembersOf(schema).flatMap((member) => [...typesOf(member)]));
}

/** Returns for each `not` its `opposite`: a schema that requires the negated one, so that its values are invalid. */
export function negationsOf(schema: Schema): { readonly pointer: string; readonly opposite: Schema }[] {
  const { schemaObjects } = schema;
  return rulesOf(schema, 'not').map(({ schemaObject }) => {
    const withoutNot = { ...schemaObject, keywords: omit(schemaObject.keywords, 'not') };
    const others = schemaObjects.map((other) => (other === schemaObject ? withoutNot : other));
    const { pointer } = schemaObject;
    return { pointer, opposite: narrow(schema, others, [extendPointer(pointer, 'not')]) };
  });
}
