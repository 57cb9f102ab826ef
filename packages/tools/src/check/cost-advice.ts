// Finds patterns and schemas that make a small request expensive to check.
import {
  type Document,
  operationsOf,
  type DocumentError,
  type PathItem,
  type WrittenSchema as Schema,
  findPatternError,
  findSchemas,
  inPlaceSchemasOf,
  pathsOf,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/contract';
import { type PatternJudge, createPatternJudge, patternsOf } from './patterns';

/** Advice about the cost of requests. Advice with the same cause is printed as one line. */
export interface CostAdvice extends Pick<DocumentError, 'node' | 'key' | 'message'> {
  readonly cause: string;
}

/** Finds slow patterns, and recursive alternatives whose work grows exponentially with the depth of a value. */
export function findCostAdvice(document: Document, judge = createPatternJudge()): CostAdvice[] {
  const schemas = findRequestSchemas(document);
  return [...schemas].flatMap((schema) => [
    ...findSlowPatterns(schema, judge),
    ...(['anyOf', 'oneOf'] as const)
      .filter((keyword) => isUntaggedRecursion(document, schema, keyword))
      .map((key) => ({ node: schema, key, message: UNTAGGED, cause: UNTAGGED })),
  ]);
}

const UNTAGGED =
  'several of these alternatives refer back to this schema, so the work grows exponentially with the depth of a value; add a discriminator, or a required property with a different const in each alternative; otherwise, the service rejects bodies that are nested too deeply';
const TOO_COMPLEX = 'this pattern is too complex to tell in time whether it backtracks; write a simpler one';
const REWRITE = 'start it with ^ and let no two of its repeats match the same text, as in "^a+$" instead of "^(a+)+$"';

function findSlowPatterns(schema: Schema, judge: PatternJudge): CostAdvice[] {
  return patternsOf(schema).flatMap(({ pattern, ...place }) => {
    // Like the service, use the flag u if the pattern allows it.
    const verdict = judge(pattern, findPatternError(pattern, 'u') === undefined ? 'u' : '');
    if (verdict?.status === 'safe') return [];
    if (!verdict) return [{ ...place, message: TOO_COMPLEX, cause: TOO_COMPLEX }];
    const { complexity, attack } = verdict;
    // A maxLength does not limit the names of properties.
    const isBoundable = complexity.type === 'polynomial' && complexity.degree <= MAX_DEGREE && place.node === schema;
    if (isBoundable && Number(schema.maxLength) <= MAX_HARMLESS_LENGTH) return [];
    const remedy = isBoundable ? `add a maxLength of at most ${String(MAX_HARMLESS_LENGTH)}, or ` : '';
    const message = `this pattern takes ${complexity.type} time for input such as ${attack.pattern}; ${remedy}${REWRITE}`;
    return [{ ...place, message, cause: `slow patterns; ${remedy}` }];
  });
}

// With n^4, a string of 100 characters takes less than 0.1 s; with n^5, a second.
const MAX_HARMLESS_LENGTH = 100;
const MAX_DEGREE = 4;

/** The fields of a path item or an operation that describe requests. */
type Receiver = Pick<PathItem<Schema>, 'parameters'> & { readonly requestBody?: object };

/** Finds the schemas of parameters and bodies, and all schemas inside them or referred to by them. */
function findRequestSchemas(document: Document): ReadonlySet<Schema> {
  const items = Object.values(pathsOf(document)).map((item) => resolvePathItem(document, item));
  const operations = items.flatMap((item) => operationsOf(document, item).map(({ object }) => object as Receiver));
  const messages = [...items, ...operations].flatMap(({ parameters = [], requestBody = {} }: Receiver) => {
    return [...parameters, requestBody].map((node) => resolveReference(document, node));
  });
  return findSchemas(document, messages);
}

/** An alternative with the schemas of its allOf. */
interface Alternative {
  readonly schema: Schema;
  readonly parts: readonly Schema[];
}

/**
 * Whether several alternatives that a value may match are recursive, so that each level of nesting doubles the work. A
 * discriminator, a type, or a required property with a `const` or an `enum` rules alternatives out early.
 */
function isUntaggedRecursion(document: Document, schema: Schema, keyword: 'anyOf' | 'oneOf'): boolean {
  if (schema.discriminator) return false;
  const alternatives = (schema[keyword] ?? []).map((alternative) => ({
    schema: alternative,
    parts: inPlaceSchemasOf(document, alternative, ['allOf']),
  }));
  const arrays = alternatives.filter(({ parts }) => parts.some(({ items, prefixItems }) => items ?? prefixItems));
  const objects = alternatives.filter(
    (alternative) =>
      !arrays.includes(alternative) &&
      alternative.parts.every(({ type = 'object' }) => [type].flat().includes('object')),
  );
  const isRecursive = (alternative: Alternative): boolean =>
    findSchemas(document, { schema: alternative.schema }).has(schema);
  // Following references is slow, so it is done last.
  const areSeveralRecursive = (list: readonly Alternative[]): boolean =>
    list.length > 1 && list.filter(isRecursive).length > 1;
  return (
    areSeveralRecursive(arrays) || (objects.length > 1 && !haveTag(document, objects) && areSeveralRecursive(objects))
  );
}

/** Whether all alternatives inherit a discriminator, or require a property with different values in each. */
function haveTag(document: Document, alternatives: readonly Alternative[]): boolean {
  if (alternatives.every(({ parts }) => parts.some(({ discriminator }) => discriminator))) return true;
  const names = new Set(alternatives.flatMap(({ parts }) => parts.flatMap(({ required = [] }) => required)));
  return [...names].some((name) => {
    const values = alternatives.map(({ parts }) => listValues(document, parts, name));
    const allValues = values.flat();
    return values.every(({ length }) => length > 0) && new Set(allValues).size === allValues.length;
  });
}

// Returns the allowed values as JSON; none if the property is optional or may have any value.
function listValues(document: Document, parts: readonly Schema[], name: string): string[] {
  if (!parts.some(({ required = [] }) => required.includes(name))) return [];
  const schemas = parts.flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
  );
  const rules = schemas.flatMap((schema) => inPlaceSchemasOf(document, schema, ['allOf']));
  const [values = []] = rules.flatMap((rule) => ('const' in rule ? [[rule.const]] : rule.enum ? [rule.enum] : []));
  return values.map((value) => JSON.stringify(value));
}
