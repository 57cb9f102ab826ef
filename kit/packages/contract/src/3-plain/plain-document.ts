// Rewrites a contract without discriminators and keywords beside `$ref`, so that any validator reads it alike.
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

/** The document that is rewritten, and what was found in it. */
interface Context {
  readonly document: Document;
  readonly families: ReadonlyMap<WrittenSchema, Family>;
  /** The references to a parent that do not mean its family. */
  readonly toParents: ReadonlySet<WrittenSchema>;
  readonly tags: ReadonlySet<WrittenSchema>;
}

/**
 * Rewrites a contract in plain JSON Schema: a discriminator becomes `required` and an `enum`, and keywords beside a
 * reference go into an allOf with it (OpenAPI 3.0 ignores them). An object without changes stays the same object.
 *
 * A parent with a discriminator, and its children, which refer to it in their allOf, are a family. Outside of these allOf, a
 * reference to the parent means any of the family: it is rewritten to a new schema with a oneOf of them (the union).
 *
 * @example const { operations } = readOperations(toPlainDocument(parseYaml(source, file) as Document))
 */
export function toPlainDocument(written: Document, schemas = findSchemas(written)): NormalizedDocument {
  const families = findFamilies(written);
  const document = addUnions(written, [...families.values()]);
  const unions = [...families].map(([parent, { union }]) => ({ parent, union, alternatives: union.oneOf }));
  // In its union, a reference to the parent means itself: rewritten, it would lead to the union.
  const toThemselves = unions.flatMap(({ parent, alternatives }) =>
    alternatives.filter((alternative) => tryResolve(written, alternative) === parent),
  );
  const toParents = new Set([...findAllOfEntries(written), ...toThemselves]);
  const context = { document, families, toParents, tags: findTags(written, schemas) };
  const all = new Set([...schemas, ...unions.flatMap(({ union, alternatives }) => [union, ...alternatives])]);
  return rewriteSchemas(document, all, (schema, copied) => rewriteSchema(context, schema, copied));
}

function addUnions(document: Document, families: readonly Family[]): Document {
  if (families.length === 0) return document;
  const unions = Object.fromEntries(families.map(({ name, union }) => [name, union]));
  return {
    ...document,
    components: { ...document.components, schemas: { ...document.components?.['schemas'], ...unions } },
  };
}

// Rewrites a schema without its discriminator, and without what validators refuse or read otherwise.
function rewriteSchema(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document, families, tags } = context;
  // In OpenAPI 3.0, the validator reads `exclusiveMinimum: true` itself. 3.1 has no nullable: as any validator, ignore it.
  const current = isOpenApi30(document.openapi) ? copied : withoutExclusiveFlags(omitIfPresent(copied, 'nullable'));
  // openapi-typescript would allow anything for an empty enum.
  const matchable = current.enum?.length === 0 ? { ...omitKeywords(current, 'enum'), not: {} } : current;
  const rules = omitIfPresent(matchable, 'discriminator');
  if (schema.$ref !== undefined) return rewriteReference(context, schema, rules);
  // A tag is a property that a discriminator reads: requests and replies both need it.
  if (tags.has(schema)) return omitKeywords(rules, 'readOnly', 'writeOnly');
  // A parent keeps only the rules that its children share: they refer to it in their allOf.
  if (families.has(schema)) return omitKeywords(rules, 'oneOf', 'anyOf');
  return replaceDiscriminator(context, schema, rules);
}

function omitIfPresent(schema: NormalizedSchema, keyword: 'discriminator' | 'nullable'): NormalizedSchema {
  return keyword in schema ? omitKeywords(schema, keyword) : schema;
}

// A reference to the parent of a family becomes one to its union.
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
  // Before 2019-09, what is beside a reference is ignored.
  if ((findDraft(document, schema) ?? 0) < 2019) return reference;
  return { ...siblings, allOf: [...(siblings.allOf ?? []), reference] };
}

// Makes each alternative of oneOf and anyOf require the property that the discriminator reads.
function replaceDiscriminator(context: Context, schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
  const { document } = context;
  const changed = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
    const { [keyword]: alternatives = [] } = schema;
    const discriminator = schema.discriminator ?? findCommonDiscriminator(context, alternatives);
    if (!discriminator || alternatives.length === 0) return [];
    const tagged = copied[keyword]?.map((rewritten, index) => {
      // Only a reference has a name, which a value of the property can mean.
      const reference = alternatives[index]?.$ref;
      if (reference === undefined) return rewritten;
      const values = discriminatorValuesOf(document, discriminator, reference);
      const others = valuesBesideDefault(document, discriminator, alternatives, reference);
      return requireTag(discriminator, rewritten, values, others);
    });
    return [[keyword, tagged] as const];
  });
  return changed.length === 0 ? copied : { ...copied, ...Object.fromEntries(changed) };
}

// If all referenced alternatives are children of one parent, they take its discriminator.
function findCommonDiscriminator(
  { document, families }: Context,
  alternatives: readonly WrittenSchema[],
): Discriminator | undefined {
  const references = alternatives.filter(({ $ref }) => $ref !== undefined);
  if (references.length === 0) return undefined;
  const targets = references.map((reference) => tryResolve(document, reference) ?? reference);
  return [...families.values()].find(({ children }) => targets.every((target) => children.has(target)))?.discriminator;
}
