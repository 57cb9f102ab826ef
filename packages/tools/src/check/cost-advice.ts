// Finds what makes a request cost more than its size deserves.
import {
  type Document,
  METHODS,
  type Mistake,
  type PathItem,
  type WrittenSchema as Schema,
  findSchemas,
  inPlaceSchemasOf,
  pathsOf,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/contract';
import { type PatternJudge, createPatternJudge, findUnicodeError, patternsOf } from './patterns';

/** Advice whose message differs only in what it names from others of its cause, with which it is printed. */
export interface CostAdvice extends Pick<Mistake, 'node' | 'key' | 'message'> {
  readonly cause: string;
}

/** Finds slow patterns, and recursion that each level multiplies. */
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
  'several of these alternatives lead back here, so that each level of a value is tried with each of them: add a discriminator, or a property that all of them require, whose const tells them apart; without it the service refuses bodies deeper than its bound';
const NOT_JUDGED = 'is not judged: whether this pattern backtracks was not found out in time; write a simpler one';
const WRITE_BETTER =
  'begin the pattern with ^ and let no two of its repeats match the same text, as "^a+$" instead of "^(a+)+$"';

function findSlowPatterns(schema: Schema, judge: PatternJudge): CostAdvice[] {
  return patternsOf(schema).flatMap(({ pattern, ...place }) => {
    // The service compiles it with the flag, too, if it can.
    const verdict = judge(pattern, findUnicodeError(pattern) === undefined ? 'u' : '');
    if (verdict?.status === 'safe') return [];
    if (!verdict) return [{ ...place, message: NOT_JUDGED, cause: NOT_JUDGED }];
    const { complexity, attack } = verdict;
    // A maxLength does not bound the names of properties.
    const isBoundable = complexity.type === 'polynomial' && complexity.degree <= MAX_DEGREE && place.node === schema;
    if (isBoundable && Number(schema.maxLength) <= MAX_HARMLESS_LENGTH) return [];
    const remedy = isBoundable ? `add a maxLength of at most ${String(MAX_HARMLESS_LENGTH)}, or ` : '';
    const message = `backtracks in ${complexity.type} time, as for ${attack.pattern}; ${remedy}${WRITE_BETTER}`;
    return [{ ...place, message, cause: `slow patterns; ${remedy}` }];
  });
}

// A text of 100 characters takes less than 0.1 s with n^4, and a second with n^5.
const MAX_HARMLESS_LENGTH = 100;
const MAX_DEGREE = 4;

/** The members of a path item or operation that describe requests. */
type Receiver = Pick<PathItem<Schema>, 'parameters'> & { readonly requestBody?: object };

/** Finds the schemas of parameters and bodies, and all that are inside them or referred to. */
function findRequestSchemas(document: Document): ReadonlySet<Schema> {
  const items = Object.values(pathsOf(document)).map((item) => resolvePathItem(document, item));
  const operations = items.flatMap((item) => {
    const fields = Object.entries(item) as [string, Receiver][];
    return fields.filter(([name]) => METHODS.has(name)).map(([, operation]) => operation);
  });
  const messages = [...items, ...operations].flatMap(({ parameters = [], requestBody = {} }: Receiver) => {
    return [...parameters, requestBody].map((node) => resolveReference(document, node));
  });
  return findSchemas(document, messages);
}

/** An alternative with the schemas of its allOf. */
interface Alternative {
  readonly one: Schema;
  readonly parts: readonly Schema[];
}

/**
 * Whether a value has to be tried with several alternatives of a schema that lead back to it: then each level of nesting
 * doubles the work. A discriminator, a type, or a required property with a `const` or an `enum` tells them apart.
 */
function isUntaggedRecursion(document: Document, schema: Schema, keyword: 'anyOf' | 'oneOf'): boolean {
  if (schema.discriminator) return false;
  const alternatives = (schema[keyword] ?? []).map((one) => ({
    one,
    parts: inPlaceSchemasOf(document, one, ['allOf']),
  }));
  const arrays = alternatives.filter(({ parts }) => parts.some(({ items, prefixItems }) => items ?? prefixItems));
  const objects = alternatives.filter((one) => !arrays.includes(one) && one.parts.every(canBeObject));
  const leadsBack = ({ one }: Alternative): boolean => findSchemas(document, { schema: one }).has(schema);
  // Following all references takes time: last.
  const doSeveralLeadBack = (some: readonly Alternative[]): boolean =>
    some.length > 1 && some.filter(leadsBack).length > 1;
  return doSeveralLeadBack(arrays) || (objects.length > 1 && !haveTag(document, objects) && doSeveralLeadBack(objects));
}

function canBeObject({ type = 'object' }: Schema): boolean {
  return [type].flat().includes('object');
}

/** Whether all alternatives inherit a discriminator, or require a property that has other values in each. */
function haveTag(document: Document, alternatives: readonly Alternative[]): boolean {
  if (alternatives.every(({ parts }) => parts.some(({ discriminator }) => discriminator))) return true;
  const names = new Set(alternatives.flatMap(({ parts }) => parts.flatMap(({ required = [] }) => required)));
  return [...names].some((name) => {
    const values = alternatives.map(({ parts }) => listValues(document, parts, name));
    const all = values.flat();
    return values.every(({ length }) => length > 0) && new Set(all).size === all.length;
  });
}

// Returns the allowed values as JSON; nothing if the property is optional, or may have any value.
function listValues(document: Document, parts: readonly Schema[], name: string): string[] {
  if (!parts.some(({ required = [] }) => required.includes(name))) return [];
  const schemas = parts.flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
  );
  const rules = schemas.flatMap((schema) => inPlaceSchemasOf(document, schema, ['allOf']));
  const [values = []] = rules.flatMap((rule) => ('const' in rule ? [[rule.const]] : rule.enum ? [rule.enum] : []));
  return values.map((value) => JSON.stringify(value));
}
