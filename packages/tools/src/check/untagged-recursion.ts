// Finds alternatives that lead back to their schema, and that nothing tells apart.
import { type Document, partsOf, type Schema } from '@contract-kit/server/contract';

/** An alternative with the schemas of its allOf. */
interface Alternative {
  readonly parts: readonly Schema[];
  /** Whether the schema of the alternatives is inside it. */
  readonly isRecursive: boolean;
}

/**
 * Whether a value has to be tried with several alternatives of a schema that lead back to it: then each level of nesting
 * doubles the work. A discriminator, a type, or a required property with a `const` or an `enum` tells them apart.
 *
 * @param circles as findCircles finds them
 */
export function isUntaggedRecursion(
  document: Document,
  circles: ReadonlyMap<Schema, Schema>,
  schema: Schema,
  keyword: 'anyOf' | 'oneOf',
): boolean {
  if (schema.discriminator) return false;
  const alternatives = (schema[keyword] ?? []).map((one): Alternative => {
    return { parts: partsOf(document, one, ['allOf']), isRecursive: circles.get(one) === circles.get(schema) };
  });
  const arrays = alternatives.filter(({ parts }) => parts.some(({ items, prefixItems }) => items ?? prefixItems));
  const objects = alternatives.filter((one) => !arrays.includes(one) && one.parts.every(canBeObject));
  const isOften = (some: readonly Alternative[]): boolean => some.filter(({ isRecursive }) => isRecursive).length > 1;
  return isOften(arrays) || (isOften(objects) && !haveTag(document, objects));
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

// As JSON; none if the property is not required, or may have any value.
function listValues(document: Document, parts: readonly Schema[], name: string): string[] {
  if (!parts.some(({ required = [] }) => required.includes(name))) return [];
  const schemas = parts.flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
  );
  const rules = schemas.flatMap((schema) => partsOf(document, schema, ['allOf']));
  const [values = []] = rules.flatMap((rule) => ('const' in rule ? [[rule.const]] : rule.enum ? [rule.enum] : []));
  return values.map((value) => JSON.stringify(value));
}
