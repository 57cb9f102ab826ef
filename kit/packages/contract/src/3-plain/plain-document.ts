// Rewrites a contract without discriminators and without keywords next to `$ref`, so that all validators agree on it.
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
import { findDraft, withoutExclusiveFlags } from '../2-resolve/supported';
import {
  discriminatorValuesOf,
  findAllOfEntries,
  findFamilies,
  findTags,
  referTo,
  requireTag,
  valuesBesideDefault,
  type Family,
} from './discriminator';
import { rewriteSchemas } from './rewrite-schemas';

interface Context {
  readonly document: Document;
  readonly families: ReadonlyMap<WrittenSchema, Family>;
  /** The references that mean only a parent, not its family. */
  readonly toParents: ReadonlySet<WrittenSchema>;
  readonly tags: ReadonlySet<WrittenSchema>;
}

/**
 * Rewrites a contract in plain JSON Schema. A discriminator becomes `required` and an `enum`, and a reference moves into an
 * allOf alongside its sibling keywords, which OpenAPI 3.0 ignores. An object without changes stays the same object.
 *
 * A parent with a discriminator and its children, which refer to it in their allOf, are a family. Outside of these allOf, a
 * reference to the parent means any member of the family, so it is rewritten to a new oneOf of them (the union).
 */
export function toPlainDocument(written: Document, schemas = findSchemas(written)): NormalizedDocument {
  const families = findFamilies(written);
  const document = addUnions(written, [...families.values()]);
  const unions = [...families].map(([parent, { union }]) => ({ parent, union, alternatives: union.oneOf }));
  // Within the union, a reference to the parent means only the parent; otherwise the union would contain itself.
  const toThemselves = unions.flatMap(({ parent, alternatives }) =>
    alternatives.filter((alternative) => tryResolve(written, alternative) === parent),
  );
  const toParents = new Set([...findAllOfEntries(written), ...toThemselves]);
  const context = { document, families, toParents, tags: findTags(written, schemas) };
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

// Rewrites a schema without its discriminator, and without keywords that validators disagree about.
function rewriteSchema(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document, families, tags } = context;
  // The validator itself supports the flags of OpenAPI 3.0. In 3.1, nullable has no meaning.
  const current = isOpenApi30(document.openapi) ? copied : withoutExclusiveFlags(omitIfPresent(copied, 'nullable'));
  // openapi-typescript would allow anything for an empty enum.
  const matchable = current.enum?.length === 0 ? { ...omitKeywords(current, 'enum'), not: {} } : current;
  const rules = omitIfPresent(matchable, 'discriminator');
  if (schema.$ref !== undefined) return rewriteReference(context, schema, rules);
  if (tags.has(schema)) return omitKeywords(rules, 'readOnly', 'writeOnly');
  // Its children refer to a parent in their allOf, so it keeps only the rules that they share.
  if (families.has(schema)) return omitKeywords(rules, 'oneOf', 'anyOf');
  return replaceDiscriminator(context, schema, rules);
}

function omitIfPresent(schema: NormalizedSchema, keyword: 'discriminator' | 'nullable'): NormalizedSchema {
  return keyword in schema ? omitKeywords(schema, keyword) : schema;
}

function rewriteReference(
  { document, families, toParents }: Context,
  schema: WrittenSchema,
  copied: NormalizedSchema,
): NormalizedSchema {
  const siblings = omitKeywords(copied, '$ref');
  const target = tryResolve(document, schema);
  const family = target && !toParents.has(schema) ? families.get(target) : undefined;
  const reference: NormalizedSchema = family ? referTo(family.name) : { $ref: String(schema.$ref) };
  const hasRules = Object.keys(siblings).some((keyword) => !isAnnotation(keyword));
  if (!hasRules) return family ? { ...siblings, ...reference } : copied;
  // Before 2019-09, siblings of a reference are ignored.
  if ((findDraft(document, schema) ?? 0) < 2019) return reference;
  return { ...siblings, allOf: [...(siblings.allOf ?? []), reference] };
}

function replaceDiscriminator(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document } = context;
  const changed = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
    const { [keyword]: alternatives = [] } = schema;
    const discriminator = schema.discriminator ?? findCommonDiscriminator(context, alternatives);
    if (!discriminator || alternatives.length === 0) return [];
    const tagged = copied[keyword]?.map((rewritten, index) => {
      // A tag can select only a reference, because that has a name.
      const reference = alternatives[index]?.$ref;
      if (reference === undefined) return rewritten;
      const values = discriminatorValuesOf(document, discriminator, reference);
      const otherValues = valuesBesideDefault(document, discriminator, alternatives, reference);
      return requireTag(discriminator, rewritten, values, otherValues);
    });
    return [[keyword, tagged] as const];
  });
  return changed.length === 0 ? copied : { ...copied, ...Object.fromEntries(changed) };
}

// Alternatives that are all children of one parent use its discriminator.
function findCommonDiscriminator(
  { document, families }: Context,
  alternatives: readonly WrittenSchema[],
): Discriminator | undefined {
  const references = alternatives.filter(({ $ref }) => $ref !== undefined);
  if (references.length === 0) return undefined;
  const targets = references.map((reference) => tryResolve(document, reference) ?? reference);
  return [...families.values()].find(({ children }) => targets.every((target) => children.has(target)))?.discriminator;
}
