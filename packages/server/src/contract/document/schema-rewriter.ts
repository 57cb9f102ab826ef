// Rewrites references and discriminators of schemas in plain JSON Schema.
import { findDialect } from './dialect';
import { discriminatorValuesOf, findTags, referTo, requireTag } from './discriminator';
import type { Document } from './document';
import { findFamilies, findAllOfEntries, type Family } from './families';
import { tryResolve } from './find-schemas';
import { isAnnotation } from './keywords';
import { without, type Discriminator, type Schema } from './schema';

export interface SchemaRewriter {
  /** @param copied the schema after the schemas inside it were rewritten */
  readonly rewriteSchema: (schema: Schema, copied: Schema) => Schema;
  /** The new schemas that rewritten references to the parent of a family lead to: a oneOf of the family for each, by name. */
  readonly createUnions: () => (readonly [name: string, union: Schema])[];
}

/**
 * Creates the rewriter of a document's schemas, which then have no discriminators and no keywords beside `$ref`. A family is
 * a parent schema with a discriminator, and its children: the schemas that refer to the parent in their allOf.
 *
 * @param schemas of the document
 * @param toPlain rewrites any value of the document
 */
export function createSchemaRewriter(
  document: Document,
  schemas: ReadonlySet<Schema>,
  toPlain: (node: unknown) => unknown,
): SchemaRewriter {
  const familyByParent = findFamilies(document);
  const allOfEntries = findAllOfEntries(document);
  const tags = findTags(document, schemas);

  // Rewrites a schema without its discriminator. `copied` is the schema after the schemas inside it were rewritten.
  function rewriteSchema(schema: Schema, copied: Schema): Schema {
    if (copied.$ref !== undefined) return rewriteReference(schema, copied);
    // A tag is a property that a discriminator reads: requests and replies both need it.
    if (tags.has(schema)) return without(copied, 'readOnly', 'writeOnly');
    // A parent keeps only the rules that its children share: they refer to it in their allOf. The schema that any of the
    // family matches is a new one, which createUnions makes.
    if (familyByParent.has(schema)) return without(copied, 'discriminator', 'oneOf', 'anyOf');
    return replaceDiscriminator(schema, copied);
  }

  // Moves the keywords beside a reference into an allOf with it. A reference to the parent of a family becomes one to the
  // family's new schema. `copied` is the schema after the schemas inside it were rewritten.
  function rewriteReference(schema: Schema, copied: Schema): Schema {
    const beside = without(copied, '$ref');
    const target = tryResolve(document, schema);
    // In the allOf of a child, the reference means the parent itself.
    const isInAllOf = allOfEntries.has(schema);
    const family = target && !isInAllOf ? familyByParent.get(target) : undefined;
    const reference: Schema = family ? referTo(family.name) : { $ref: String(schema.$ref) };
    const hasRules = Object.keys(beside).some((keyword) => !isAnnotation(keyword));
    if (!hasRules) return family ? { ...beside, ...reference } : schema;
    // Older dialects ignore what is beside a reference.
    if (findDialect(document, schema)?.hasSiblings !== true) return reference;
    return { ...beside, allOf: [...(beside.allOf ?? []), reference] };
  }

  // Makes each alternative of oneOf and anyOf require the property that the discriminator reads, and removes the
  // discriminator. A schema without one, whose alternatives share none either, is returned as `copied`: the schema after the
  // schemas inside it were rewritten.
  function replaceDiscriminator(schema: Schema, copied: Schema): Schema {
    const changed = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const alternatives = schema[keyword];
      const discriminator = alternatives && (schema.discriminator ?? findCommonDiscriminator(alternatives));
      if (!alternatives || !discriminator) return [];
      return [
        [keyword, alternatives.map((one) => requireOwnTag(discriminator, one, rewriteAlternative(one)))] as const,
      ];
    });
    if (changed.length === 0 && schema.discriminator === undefined) return copied;
    return { ...without(copied, 'discriminator'), ...Object.fromEntries(changed) };
  }

  // If all referenced alternatives are children of one parent, they take its discriminator.
  function findCommonDiscriminator(alternatives: readonly Schema[]): Discriminator | undefined {
    const references = alternatives.filter(({ $ref }) => $ref !== undefined);
    if (references.length === 0) return undefined;
    const targets = references.map((reference) => tryResolve(document, reference) ?? reference);
    const parents = [...familyByParent.values()];
    return parents.find(({ children }) => targets.every((target) => children.has(target)))?.discriminator;
  }

  // Requires the discriminator's property, with a value that means this alternative. Only a reference has a name for that.
  function requireOwnTag(discriminator: Discriminator, { $ref }: Schema, rewritten: Schema): Schema {
    if ($ref === undefined) return rewritten;
    return requireTag(discriminator, rewritten, discriminatorValuesOf(document, discriminator, $ref));
  }

  function rewriteAlternative(alternative: Schema): Schema {
    // The kit made the references of a mapping itself: they are not in `schemas`.
    return schemas.has(alternative) ? (toPlain(alternative) as Schema) : rewriteReference(alternative, alternative);
  }

  // The new schema of a family: a oneOf of its schemas, each with the value of the discriminator's property that means it.
  function toUnion(parent: Schema, { discriminator, alternatives }: Family): Schema {
    const oneOf = alternatives.map((alternative) => {
      // A reference to the parent means the parent here: rewritten, it would lead to this union itself.
      const isParent = tryResolve(document, alternative) === parent;
      return requireOwnTag(discriminator, alternative, isParent ? alternative : rewriteAlternative(alternative));
    });
    return { oneOf };
  }

  return {
    rewriteSchema,
    createUnions: () => [...familyByParent].map(([parent, family]) => [family.name, toUnion(parent, family)] as const),
  };
}
