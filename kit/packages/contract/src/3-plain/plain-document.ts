// Removes discriminators and keywords next to `$ref` from a contract, so that all validators agree on its meaning.
import type { Document, NormalizedDocument } from '../2-resolve/document';
import { findSchemas, tryResolve } from '../2-resolve/find-schemas';
import {
  isAnnotation,
  isOpenApi30,
  omitKeywords,
  type Discriminator,
  type NormalizedSchema,
  type WrittenSchema,
} from '../2-resolve/schema';
import { findDraft, rewriteExclusiveFlags } from '../2-resolve/supported';
import {
  discriminatorValuesOf,
  findAllOfEntries,
  findFamilies,
  findTags,
  referTo,
  requireTag,
  listNonDefaultValues,
  type Family,
} from './discriminator';
import { rewriteSchemas } from './rewrite-schemas';

interface Context {
  readonly document: Document;
  readonly families: ReadonlyMap<WrittenSchema, Family>;
  /** References that stand only for a parent, not for its family. */
  readonly parentReferences: ReadonlySet<WrittenSchema>;
  readonly tags: ReadonlySet<WrittenSchema>;
}

/**
 * Rewrites a contract in plain JSON Schema. A discriminator becomes `required` and an `enum`. A reference with sibling
 * keywords, which OpenAPI 3.0 ignores, moves into an allOf. Unchanged objects are not copied.
 *
 * A parent with a discriminator and its children, which refer to it in their allOf, are a family. Any other reference to the
 * parent stands for every member of the family, so it is rewritten to a new oneOf of the members (the union).
 */
export function toPlainDocument(written: Document, schemas = findSchemas(written)): NormalizedDocument {
  const families = findFamilies(written);
  const document = addUnions(written, [...families.values()]);
  const unions = [...families].map(([parent, { union }]) => ({ parent, union, alternatives: union.oneOf }));
  // Inside the union, a reference to the parent stands only for the parent. Otherwise the union would contain itself.
  const selfReferences = unions.flatMap(({ parent, alternatives }) =>
    alternatives.filter((alternative) => tryResolve(written, alternative) === parent),
  );
  const parentReferences = new Set([...findAllOfEntries(written), ...selfReferences]);
  const context = { document, families, parentReferences, tags: findTags(written, schemas) };
  const allSchemas = new Set([...schemas, ...unions.flatMap(({ union, alternatives }) => [union, ...alternatives])]);
  return rewriteSchemas(document, allSchemas, (schema, copied) => rewriteSchema(context, schema, copied));
}

function addUnions(document: Document, families: readonly Family[]): Document {
  if (families.length === 0) return document;
  const unions = Object.fromEntries(families.map(({ name, union }) => [name, union]));
  return {
    ...document,
    components: { ...document.components, schemas: { ...document.components?.['schemas'], ...unions } },
  };
}

// Removes the discriminator, and keywords that validators disagree about.
function rewriteSchema(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document, families, tags } = context;
  // The validator supports the flags of OpenAPI 3.0. Since 3.1, nullable has no meaning.
  const base = isOpenApi30(document.openapi) ? copied : rewriteExclusiveFlags(omitIfPresent(copied, 'nullable'));
  // For an empty enum, openapi-typescript would allow any value.
  const plain = base.enum?.length === 0 ? { ...omitKeywords(base, 'enum'), not: {} } : base;
  const rules = omitIfPresent(plain, 'discriminator');
  if (schema.$ref !== undefined) return rewriteReference(context, schema, rules);
  if (tags.has(schema)) return omitKeywords(rules, 'readOnly', 'writeOnly');
  // The children refer to this parent in their allOf, so it keeps only the rules that also apply to them.
  if (families.has(schema)) return omitKeywords(rules, 'oneOf', 'anyOf');
  return replaceDiscriminator(context, schema, rules);
}

function omitIfPresent(schema: NormalizedSchema, keyword: 'discriminator' | 'nullable'): NormalizedSchema {
  return keyword in schema ? omitKeywords(schema, keyword) : schema;
}

function rewriteReference(
  { document, families, parentReferences }: Context,
  schema: WrittenSchema,
  copied: NormalizedSchema,
): NormalizedSchema {
  const siblings = omitKeywords(copied, '$ref');
  const target = tryResolve(document, schema);
  const family = target && !parentReferences.has(schema) ? families.get(target) : undefined;
  const reference: NormalizedSchema = family ? referTo(family.name) : { $ref: String(schema.$ref) };
  const hasRules = Object.keys(siblings).some((keyword) => !isAnnotation(keyword));
  if (!hasRules) return family ? { ...siblings, ...reference } : copied;
  // Before JSON Schema 2019-09, the siblings of a reference are ignored.
  if ((findDraft(document, schema) ?? 0) < 2019) return reference;
  return { ...siblings, allOf: [...(siblings.allOf ?? []), reference] };
}

function replaceDiscriminator(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document } = context;
  const rewrittenUnions = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
    const { [keyword]: alternatives = [] } = schema;
    const discriminator = schema.discriminator ?? findCommonDiscriminator(context, alternatives);
    if (!discriminator || alternatives.length === 0) return [];
    const taggedAlternatives = copied[keyword]?.map((rewritten, index) => {
      // Only a reference has a name that a tag can select.
      const reference = alternatives[index]?.$ref;
      if (reference === undefined) return rewritten;
      const values = discriminatorValuesOf(document, discriminator, reference);
      const otherValues = listNonDefaultValues(document, discriminator, alternatives, reference);
      return requireTag(discriminator, rewritten, values, otherValues);
    });
    return [[keyword, taggedAlternatives] as const];
  });
  return rewrittenUnions.length === 0 ? copied : { ...copied, ...Object.fromEntries(rewrittenUnions) };
}

// If all alternatives are children of the same parent, its discriminator applies to them.
function findCommonDiscriminator(
  { document, families }: Context,
  alternatives: readonly WrittenSchema[],
): Discriminator | undefined {
  const references = alternatives.filter(({ $ref }) => $ref !== undefined);
  if (references.length === 0) return undefined;
  const targets = references.map((reference) => tryResolve(document, reference) ?? reference);
  return [...families.values()].find(({ children }) => targets.every((target) => children.has(target)))?.discriminator;
}
