// Evaluates a value by a schema: its assertions, and the keywords that apply other schemas.
import { findUnreadable, toList } from '../contract/read-contract';
import { resolvePointer } from '../contract/pointer';
import { SkippedError } from '../contract/skipped';
import { matches } from './pattern';
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { assertionOf, createSchemaError, type Node, type SchemaError, type Scope } from './assertions';

// More schemas in a row that apply to one value are taken for a circle.
const MAX_HOPS = 200;

/** @throws SkippedError when the schema cannot be read */
export function evaluate(node: Node, because = 'schema'): SchemaError[] {
  const { scope, schema } = node;
  if (schema === true) return [];
  if (schema === false) return [createSchemaError(node, because, 'is forbidden')];
  if (!isJsonObject(schema)) throw new SkippedError('what is no object', scope.pointer);
  if (node.hops > MAX_HOPS) throw new SkippedError('references that lead in a circle', scope.pointer);
  const keywords = scope.keywords.get(schema) ?? listKeywords(scope, schema);
  scope.keywords.set(schema, keywords);
  const needsSeen = keywords.at(-1)?.startsWith('unevaluated') === true;
  const whole = needsSeen && !node.seen ? { ...node, seen: new Set<string | number>() } : node;
  const errors: SchemaError[] = [];
  // A reply may have more errors than a call has arguments.
  for (const keyword of keywords) for (const error of check(whole, schema, keyword)) errors.push(error);
  return errors;
}

// Those of the dialect; what the others leave over comes last.
function listKeywords({ dialect, pointer }: Scope, schema: JsonObject): string[] {
  const unreadable = findUnreadable(dialect, schema);
  if (unreadable !== undefined) throw new SkippedError(unreadable, pointer);
  if (!dialect.hasSiblings && typeof schema['$ref'] === 'string') return ['$ref'];
  const [rest = [], others = []] = [true, false].map((isOfRest) =>
    Object.keys(schema).filter((name) => dialect.keywords.has(name) && name.startsWith('unevaluated') === isOfRest),
  );
  return [...others, ...rest];
}

function check(node: Node, schema: JsonObject, keyword: string): SchemaError[] {
  const rule = schema[keyword] ?? null;
  const { value } = node;
  const text = assertionOf(keyword, value)?.(rule, value, node);
  if (text !== undefined) return text === '' ? [] : [createSchemaError(node, keyword, text)];
  const applicator =
    IN_PLACE.get(keyword) ??
    (isJsonList(value) ? ON_LISTS.get(keyword) : isJsonObject(value) ? ON_OBJECTS.get(keyword) : undefined);
  return applicator?.(node, rule, schema) ?? [];
}

type Applicator = (node: Node, rule: Json, schema: JsonObject) => SchemaError[];

const IN_PLACE: ReadonlyMap<string, Applicator> = new Map<string, Applicator>([
  ['$ref', (node, reference) => applyInPlace(node, followReference(node, toText(reference)), '$ref')],
  ['allOf', (node, rule) => toList(rule).flatMap((item) => applyInPlace(node, item, 'allOf'))],
  [
    'anyOf',
    (node, rule) => (countMatches(node, rule) > 0 ? [] : [createSchemaError(node, 'anyOf', 'matches no union member')]),
  ],
  [
    'oneOf',
    (node, rule) => {
      const count = countMatches(node, rule);
      return count === 1 ? [] : [createSchemaError(node, 'oneOf', `matches ${String(count)} union members`)];
    },
  ],
  [
    'not',
    (node, rule) => {
      const isMatch = applyInPlace({ ...node, seen: undefined }, rule, 'not').length === 0;
      return isMatch ? [createSchemaError(node, 'not', 'matches what it must not')] : [];
    },
  ],
  [
    'if',
    (node, rule, schema) => {
      const keyword = applyInPlace(node, rule, 'if').length === 0 ? 'then' : 'else';
      const consequence = schema[keyword];
      return consequence === undefined ? [] : applyInPlace(node, consequence, keyword);
    },
  ],
]);

const ON_OBJECTS: ReadonlyMap<string, Applicator> = new Map<string, Applicator>([
  [
    'properties',
    (node, rule) =>
      Object.entries(objectOrEmpty(rule)).flatMap(([name, property]) =>
        Object.hasOwn(Object(node.value) as object, name) ? applyToPart(node, name, property, 'properties') : [],
      ),
  ],
  [
    'patternProperties',
    (node, rule) =>
      Object.entries(objectOrEmpty(rule)).flatMap(([pattern, property]) =>
        namesOf(node)
          .filter((name) => matches(pattern, name, node.scope.pointer))
          .flatMap((name) => applyToPart(node, name, property, 'patternProperties')),
      ),
  ],
  [
    'additionalProperties',
    (node, rule, { properties, patternProperties }) => {
      const patterns = node.scope.dialect.keywords.has('patternProperties')
        ? Object.keys(objectOrEmpty(patternProperties))
        : [];
      return namesOf(node)
        .filter((name) => !Object.hasOwn(objectOrEmpty(properties), name))
        .filter((name) => !patterns.some((pattern) => matches(pattern, name, node.scope.pointer)))
        .flatMap((name) => applyToPart(node, name, rule, 'additionalProperties'));
    },
  ],
  [
    'propertyNames',
    (node, rule) =>
      namesOf(node).flatMap((name) => evaluate({ ...partOf(node, name, rule), value: name }, 'propertyNames')),
  ],
  ['dependentSchemas', applyDependent],
  ['dependencies', applyDependent],
  [
    'unevaluatedProperties',
    (node, rule) =>
      namesOf(node)
        .filter((name) => node.seen?.has(name) === false)
        .flatMap((name) => applyToPart(node, name, rule, 'unevaluatedProperties')),
  ],
]);

const ON_LISTS: ReadonlyMap<string, Applicator> = new Map<string, Applicator>([
  [
    'prefixItems',
    (node, rule) =>
      toList(rule)
        .slice(0, indexesOf(node).length)
        .flatMap((item, index) => applyToPart(node, index, item, 'prefixItems')),
  ],
  [
    'items',
    (node, rule, { prefixItems }) => {
      const start = node.scope.dialect.keywords.has('prefixItems') ? toList(prefixItems).length : 0;
      return indexesOf(node)
        .slice(start)
        .flatMap((index) => applyToPart(node, index, rule, 'items'));
    },
  ],
  ['contains', applyContains],
  [
    'unevaluatedItems',
    (node, rule) =>
      indexesOf(node)
        .filter((index) => node.seen?.has(index) === false)
        .flatMap((index) => applyToPart(node, index, rule, 'unevaluatedItems')),
  ],
]);

// For each name that is there: a schema, or in older dialects a list of names that are then required.
function applyDependent(node: Node, rule: Json): SchemaError[] {
  return Object.entries(objectOrEmpty(rule))
    .filter(([name]) => Object.hasOwn(Object(node.value) as object, name))
    .flatMap(([, then]) => applyInPlace(node, isJsonList(then) ? { required: then } : then, 'dependentSchemas'));
}

function applyContains(node: Node, rule: Json, { minContains = 1n, maxContains }: JsonObject): SchemaError[] {
  const { keywords } = node.scope.dialect;
  const matching = indexesOf(node).filter((index) => evaluate(partOf(node, index, rule)).length === 0);
  // Before 2020-12, `unevaluatedItems` does not know which items match.
  if (keywords.has('prefixItems')) for (const index of matching) node.seen?.add(index);
  const [least, most] = keywords.has('minContains')
    ? [Number(minContains), Number(maxContains ?? Infinity)]
    : [1, Infinity];
  const count = matching.length;
  if (count < least)
    return [createSchemaError(node, least === 1 ? 'contains' : 'minContains', `has ${String(count)} matching items`)];
  return count > most ? [createSchemaError(node, 'maxContains', `has ${String(count)} matching items`)] : [];
}

function countMatches(node: Node, rule: Json): number {
  return toList(rule).filter((branch) => applyInPlace(node, branch, 'anyOf').length === 0).length;
}

// What a schema evaluates counts for the schema around it if the value is valid.
function applyInPlace(node: Node, schema: Json, keyword: string): SchemaError[] {
  const seen = node.seen && new Set<string | number>();
  const errors = evaluate({ ...node, schema, seen, hops: node.hops + 1 }, keyword);
  if (seen && errors.length === 0) for (const key of seen) node.seen.add(key);
  return errors;
}

function applyToPart(node: Node, key: string | number, schema: Json, keyword: string): SchemaError[] {
  node.seen?.add(key);
  const part = partOf(node, key, schema);
  const { value } = part;
  if (typeof value !== 'object' || value === null || !isJsonObject(schema)) return evaluate(part, keyword);
  const judged = node.scope.judged.get(value) ?? new Map<JsonObject, SchemaError[]>();
  node.scope.judged.set(value, judged);
  const errors = judged.get(schema) ?? evaluate(part, keyword);
  judged.set(schema, errors);
  return errors;
}

function partOf({ scope, value, path }: Node, key: string | number, schema: Json): Node {
  const part = (value as Readonly<Record<string | number, Json>>)[key] ?? null;
  return { scope, schema, value: part, path: { parent: path, key }, seen: undefined, hops: 0 };
}

function namesOf({ value }: Node): string[] {
  return Object.keys(Object(value) as object);
}

function indexesOf({ value }: Node): number[] {
  return toList(value).map((_item, index) => index);
}

function followReference({ scope }: Node, reference: string): Json {
  if (!/^#(?:\/|$)/.test(reference)) throw new SkippedError('references to other files or anchors', scope.pointer);
  const target = scope.targets.get(reference) ?? resolvePointer(scope.root, reference);
  scope.targets.set(reference, target);
  return target;
}
