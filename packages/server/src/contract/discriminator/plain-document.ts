// Rewrites a contract without discriminators and keywords beside `$ref`, so that any validator reads it alike.
import { withoutExclusiveFlags, findDialect } from '../schema/dialect';
import type { Document } from '../schema/document';
import { copyExactValues } from '../yaml/exact-numbers';
import { findSchemas, tryResolve } from '../schema/find-schemas';
import { isOpenApi30, mapSchemas, schemasOf, isAnnotation } from '../schema/keywords';
import { without, type Schema, type Discriminator } from '../schema/schema';
import {
  discriminatorValuesOf,
  findTags,
  referTo,
  requireTag,
  findFamilies,
  findAllOfEntries,
  type Family,
} from './discriminator';

type Members = Readonly<Record<string, unknown>>;

/**
 * Rewrites a contract in plain JSON Schema: a discriminator becomes `required` and an `enum`, and keywords beside a
 * reference go into an allOf with it (OpenAPI 3.0 ignores them). An object without changes stays the same object.
 *
 * A parent with a discriminator, and its children, which refer to it in their allOf, are a family. Outside of these allOf, a
 * reference to the parent means any of the family: it is rewritten to a new schema with a oneOf of them (the union).
 *
 * @example const { operations } = readOperations(toPlainDocument(parseYaml(source, file) as Document))
 */
export function toPlainDocument(document: Document, schemas = findSchemas(document)): Document {
  const isOpenApi30Document = isOpenApi30(document.openapi);
  const plainByNode = new Map<object, unknown>();
  const { rewriteSchema, createUnions } = createSchemaRewriter(document, schemas, toPlain);

  // Rewrites each object only once: a YAML alias is the same object as the node that it stands for.
  function toPlain(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (!plainByNode.has(node)) plainByNode.set(node, rewriteNode(node));
    return plainByNode.get(node);
  }

  // `schemas` tells which objects are schemas: they are rewritten, other objects only contain some.
  function rewriteNode(node: object): object {
    if (Array.isArray(node)) return keepSame(node, node.map(toPlain));
    const isSchema = schemas.has(node);
    const replaceBooleans = isSchema ? withoutBooleans : withoutBooleansOutside;
    const members = Object.entries(node as Members).map(([key, value]) => {
      return [key, toPlain(replaceBooleans(key, value))] as const;
    });
    const isSame = members.every(([key, value]) => value === (node as Members)[key]);
    const copied = isSame ? node : copyExactValues(node, toObject(members));
    if (!isSchema) return copied;
    // In OpenAPI 3.0, the validator reads `exclusiveMinimum: true` itself.
    return rewriteSchema(node, isOpenApi30Document ? copied : withoutExclusiveFlags(copied));
  }

  const plain = toPlain(document) as Document;
  const unions = createUnions();
  if (unions.length === 0) return plain;
  const componentSchemas = { ...plain.components?.['schemas'], ...toObject(unions) };
  return { ...plain, components: { ...plain.components, schemas: componentSchemas } };
}

function keepSame(original: readonly unknown[], rewritten: readonly unknown[]): readonly unknown[] {
  return rewritten.every((item, index) => item === original[index]) ? original : rewritten;
}

// A key may be __proto__.
function toObject(members: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(members);
}

// The kit itself reads true and false here: they allow or forbid undeclared properties and items.
const KEYWORDS_WITH_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/** Replaces true by {}, which any value matches, and false by { not: {} }, which none matches (JSON Schema, Core, 4.3.2). */
function withoutBooleans(keyword: string, value: unknown): unknown {
  if (KEYWORDS_WITH_BOOLEANS.has(keyword) || !schemasOf(keyword, value).some(isBoolean)) return value;
  return mapSchemas(keyword, value, toObjectSchema);
}

/** The same in an OpenAPI object that is no schema: in `schema` of a media type or parameter, and `schemas` of components. */
function withoutBooleansOutside(key: string, value: unknown): unknown {
  if (key === 'schema') return toObjectSchema(value);
  // `schemas` of components has schemas by name, as the keyword `properties` has.
  return key === 'schemas' ? withoutBooleans('properties', value) : value;
}

function isBoolean(schema: unknown): schema is boolean {
  return typeof schema === 'boolean';
}

function toObjectSchema(schema: unknown): unknown {
  if (!isBoolean(schema)) return schema;
  return (schema ? {} : { not: {} }) satisfies Schema;
}

interface SchemaRewriter {
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
function createSchemaRewriter(
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
