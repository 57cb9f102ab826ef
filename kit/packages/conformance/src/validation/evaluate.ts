// Evaluates a value against a schema, including the keywords that apply subschemas.
import { findUnsupportedFeature, toList } from '../contract/read-contract';
import { resolvePointer } from '../contract/pointer';
import { ASSERTED_CONTENT } from '../contract/sequences';
import { SkippedError } from '../contract/skipped';
import { matches } from '../contract/pattern';
import { isJsonList, isJsonObject, objectOrEmpty, readJson, toText, type Json, type JsonObject } from '../wire/json';
import { findAssertion, SchemaError, type EvaluationNode, type Path, type Scope, type Verdict } from './assertions';

// The most errors to collect. Each enclosing schema repeats them, so many deep inside a value would take too long.
const MAX_ERRORS = 100;

const MAX_IN_PLACE_DEPTH = 200;

export function createNode(scope: Scope, schema: Json, value: Json, path?: Path): EvaluationNode {
  const isObject = typeof value === 'object' && value !== null;
  const verdicts: EvaluationNode['verdicts'] =
    (isObject ? scope.verdicts.get(value) : undefined) ?? new Map<Json, Verdict>();
  if (isObject) scope.verdicts.set(value, verdicts);
  return { scope, schema, value, path, verdicts, evaluatedKeys: undefined, inPlaceDepth: 0 };
}

/** @throws SkippedError when the schema cannot be read */
export function evaluate(node: EvaluationNode, appliedBy = 'schema'): SchemaError[] {
  const { scope, schema } = node;
  scope.workLimit.step();
  if (schema === true) return [];
  if (schema === false) return [new SchemaError(node, appliedBy, 'is forbidden')];
  if (!isJsonObject(schema)) throw new SkippedError('a value that is not an object', scope.pointer);
  if (node.inPlaceDepth > MAX_IN_PLACE_DEPTH) throw new SkippedError('circular references', scope.pointer);
  const keywords = scope.keywords.get(schema) ?? listKeywords(scope, schema);
  scope.keywords.set(schema, keywords);
  const tracksEvaluated = keywords.at(-1)?.startsWith('unevaluated') === true;
  const trackingNode =
    tracksEvaluated && !node.evaluatedKeys ? { ...node, evaluatedKeys: new Set<string | number>() } : node;
  // Several paths may lead to the same schema and return the same errors, which the set keeps only once.
  const errors = new Set<SchemaError>();
  for (const keyword of keywords)
    for (const error of evaluateKeyword(trackingNode, schema, keyword)) if (errors.size < MAX_ERRORS) errors.add(error);
  return [...errors];
}

// The unevaluated... keywords come last, since they depend on the others.
function listKeywords({ dialect, pointer }: Scope, schema: JsonObject): string[] {
  const unsupportedFeature = findUnsupportedFeature(dialect, schema);
  if (unsupportedFeature !== undefined) throw new SkippedError(unsupportedFeature, pointer);
  if (!dialect.hasSiblings && typeof schema['$ref'] === 'string') return ['$ref'];
  const [unevaluatedKeywords = [], otherKeywords = []] = [true, false].map((isUnevaluated) =>
    Object.keys(schema).filter(
      (name) => dialect.keywords.has(name) && name.startsWith('unevaluated') === isUnevaluated,
    ),
  );
  return [...otherKeywords, ...unevaluatedKeywords];
}

function evaluateKeyword(node: EvaluationNode, schema: JsonObject, keyword: string): SchemaError[] {
  const rule = schema[keyword] ?? null;
  const { value } = node;
  const text = findAssertion(keyword, value)?.(rule, value, node);
  if (text !== undefined) return text === '' ? [] : [new SchemaError(node, keyword, text)];
  const applicator =
    IN_PLACE_APPLICATORS[keyword] ??
    (isJsonList(value) ? ARRAY_APPLICATORS[keyword] : isJsonObject(value) ? OBJECT_APPLICATORS[keyword] : undefined);
  return applicator?.(node, rule, schema) ?? [];
}

type Applicator = (node: EvaluationNode, rule: Json, schema: JsonObject) => SchemaError[];

type Applicators = Readonly<Record<string, Applicator>>;

const IN_PLACE_APPLICATORS: Applicators = {
  $ref: (node, reference) => applyInPlace(node, followReference(node, toText(reference)), '$ref'),
  allOf: (node, rule) => toList(rule).flatMap((item) => applyInPlace(node, item, 'allOf')),
  anyOf: (node, rule) => {
    const { count, closest } = matchBranches(node, rule);
    return count > 0 ? [] : [new SchemaError(node, 'anyOf', 'does not match any alternative'), ...closest];
  },
  oneOf: (node, rule) => {
    const { count, closest } = matchBranches(node, rule);
    if (count === 1) return [];
    return [new SchemaError(node, 'oneOf', `matches ${String(count)} union members`), ...(count === 0 ? closest : [])];
  },
  not: (node, rule) => {
    const isMatch = applyInPlace({ ...node, evaluatedKeys: undefined }, rule, 'not').length === 0;
    return isMatch ? [new SchemaError(node, 'not', 'matches a schema that it must not match')] : [];
  },
  if: (node, rule, schema) => {
    const keyword = applyInPlace(node, rule, 'if').length === 0 ? 'then' : 'else';
    const branch = schema[keyword];
    return branch === undefined ? [] : applyInPlace(node, branch, keyword);
  },
  [ASSERTED_CONTENT]: (node, rule) => {
    if (typeof node.value !== 'string') return [];
    try {
      return evaluate(createNode(node.scope, rule, readJson(node.value), node.path), 'contentSchema');
    } catch (error) {
      if (error instanceof SyntaxError) return [new SchemaError(node, 'contentSchema', 'is not JSON')];
      throw error;
    }
  },
};

const OBJECT_APPLICATORS: Applicators = {
  properties: (node, rule) =>
    Object.entries(objectOrEmpty(rule)).flatMap(([name, property]) =>
      Object.hasOwn(Object(node.value) as object, name) ? applyToChild(node, name, property, 'properties') : [],
    ),
  patternProperties: (node, rule) =>
    Object.entries(objectOrEmpty(rule)).flatMap(([pattern, property]) =>
      listNames(node)
        .filter((name) => matches(pattern, name, node.scope.pointer))
        .flatMap((name) => applyToChild(node, name, property, 'patternProperties')),
    ),
  additionalProperties: (node, rule, { properties, patternProperties }) => {
    const patterns = node.scope.dialect.keywords.has('patternProperties')
      ? Object.keys(objectOrEmpty(patternProperties))
      : [];
    return listNames(node)
      .filter((name) => !Object.hasOwn(objectOrEmpty(properties), name))
      .filter((name) => !patterns.some((pattern) => matches(pattern, name, node.scope.pointer)))
      .flatMap((name) => applyToChild(node, name, rule, 'additionalProperties'));
  },
  propertyNames: (node, rule) =>
    listNames(node).flatMap((name) =>
      evaluate({ ...childOf(node, name, rule), value: name, verdicts: new Map() }, 'propertyNames'),
    ),
  dependentSchemas: applyDependent,
  dependencies: applyDependent,
  unevaluatedProperties: (node, rule) =>
    listNames(node)
      .filter((name) => node.evaluatedKeys?.has(name) === false)
      .flatMap((name) => applyToChild(node, name, rule, 'unevaluatedProperties')),
};

const ARRAY_APPLICATORS: Applicators = {
  prefixItems: (node, rule) =>
    toList(rule)
      .slice(0, listIndexes(node).length)
      .flatMap((item, index) => applyToChild(node, index, item, 'prefixItems')),
  items: (node, rule, { prefixItems }) => {
    const start = node.scope.dialect.keywords.has('prefixItems') ? toList(prefixItems).length : 0;
    return listIndexes(node)
      .slice(start)
      .flatMap((index) => applyToChild(node, index, rule, 'items'));
  },
  contains: applyContains,
  unevaluatedItems: (node, rule) =>
    listIndexes(node)
      .filter((index) => node.evaluatedKeys?.has(index) === false)
      .flatMap((index) => applyToChild(node, index, rule, 'unevaluatedItems')),
};

function applyDependent(node: EvaluationNode, rule: Json): SchemaError[] {
  return Object.entries(objectOrEmpty(rule))
    .filter(([name]) => Object.hasOwn(Object(node.value) as object, name))
    .flatMap(([, schemaOrNames]) =>
      applyInPlace(node, isJsonList(schemaOrNames) ? { required: schemaOrNames } : schemaOrNames, 'dependentSchemas'),
    );
}

function applyContains(node: EvaluationNode, rule: Json, { minContains = 1n, maxContains }: JsonObject): SchemaError[] {
  const { keywords } = node.scope.dialect;
  const matchingIndexes = listIndexes(node).filter((index) => evaluate(childOf(node, index, rule)).length === 0);
  // Before 2020-12, `unevaluatedItems` ignores `contains`.
  if (keywords.has('prefixItems')) for (const index of matchingIndexes) node.evaluatedKeys?.add(index);
  const [minCount, maxCount] = keywords.has('minContains')
    ? [Number(minContains), Number(maxContains ?? Infinity)]
    : [1, Infinity];
  const count = matchingIndexes.length;
  if (count < minCount)
    return [new SchemaError(node, minCount === 1 ? 'contains' : 'minContains', `has ${String(count)} matching items`)];
  return count > maxCount ? [new SchemaError(node, 'maxContains', `has ${String(count)} matching items`)] : [];
}

// `closest` is the last error of the branch with the fewest inner errors, or in a tie, with the deepest ones.
function matchBranches(node: EvaluationNode, rule: Json): { count: number; closest: SchemaError[] } {
  const branchErrors = toList(rule).map((branch) => applyInPlace(node, branch, 'anyOf'));
  const depthOf = ([first]: readonly SchemaError[]): number => first?.path?.depth ?? 0;
  const innerErrors = branchErrors
    .filter((errors) => depthOf(errors) > (node.path?.depth ?? 0))
    .toSorted((left, right) => left.length - right.length || depthOf(right) - depthOf(left));
  return {
    count: branchErrors.filter((errors) => errors.length === 0).length,
    closest: innerErrors[0]?.slice(-1) ?? [],
  };
}

// A schema passes its evaluated keys on to its parent only if the value is valid (JSON Schema Core, 7.7.1).
function applyInPlace(node: EvaluationNode, schema: Json, keyword: string): SchemaError[] {
  const isReusable = (verdict: Verdict | undefined): verdict is Verdict =>
    verdict !== undefined && (!node.evaluatedKeys || verdict.evaluatedKeys !== undefined);
  const cachedVerdict = node.verdicts.get(schema);
  const { errors, evaluatedKeys } = isReusable(cachedVerdict) ? cachedVerdict : evaluateSchema();
  if (evaluatedKeys && errors.length === 0) for (const key of evaluatedKeys) node.evaluatedKeys?.add(key);
  return errors;

  function evaluateSchema(): Verdict {
    const innerKeys = node.evaluatedKeys && new Set<string | number>();
    const innerNode = { ...node, schema, evaluatedKeys: innerKeys, inPlaceDepth: node.inPlaceDepth + 1 };
    const verdict = { errors: evaluate(innerNode, keyword), evaluatedKeys: innerKeys };
    if (isJsonObject(schema)) node.verdicts.set(schema, verdict);
    return verdict;
  }
}

function applyToChild(node: EvaluationNode, key: string | number, schema: Json, keyword: string): SchemaError[] {
  node.evaluatedKeys?.add(key);
  return applyInPlace(childOf(node, key, schema), schema, keyword);
}

function childOf({ scope, value, path }: EvaluationNode, key: string | number, schema: Json): EvaluationNode {
  const childValue = (value as Readonly<Record<string | number, Json>>)[key] ?? null;
  return createNode(scope, schema, childValue, { parent: path, key, depth: (path?.depth ?? 0) + 1 });
}

function listNames({ value }: EvaluationNode): string[] {
  return Object.keys(Object(value) as object);
}

function listIndexes({ value }: EvaluationNode): number[] {
  return toList(value).map((_item, index) => index);
}

function followReference({ scope }: EvaluationNode, reference: string): Json {
  if (!/^#(?:\/|$)/.test(reference)) throw new SkippedError('references to other files or anchors', scope.pointer);
  return resolvePointer(scope.root, reference);
}
