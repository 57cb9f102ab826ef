// Rewrites a contract without discriminators and keywords beside `$ref`, so that any validator reads it alike.
import type { Document, NormalizedDocument } from '../2-resolve/document';
import { copyExactValues } from '../1-parse/parse-yaml';
import { findSchemas, outermostSchemas, tryResolve } from '../2-resolve/find-schemas';
import {
  isAnnotation,
  isOpenApi30,
  mapSchemas,
  schemasOf,
  omitKeywords,
  type Discriminator,
  type NormalizedSchema,
  type WrittenSchema,
} from '../2-resolve/schema';
import { findDialect, withoutExclusiveFlags } from '../2-resolve/supported';
import {
  discriminatorValuesOf,
  findAllOfEntries,
  findFamilies,
  findTags,
  referTo,
  requireTag,
  type Family,
} from './discriminator';

/**
 * Rewrites a contract in plain JSON Schema: a discriminator becomes `required` and an `enum`, and keywords beside a
 * reference go into an allOf with it (OpenAPI 3.0 ignores them). An object without changes stays the same object.
 *
 * A parent with a discriminator, and its children, which refer to it in their allOf, are a family. Outside of these allOf, a
 * reference to the parent means any of the family: it is rewritten to a new schema with a oneOf of them (the union).
 *
 * @example const { operations } = readOperations(toPlainDocument(parseYaml(source, file) as Document))
 */
export function toPlainDocument(document: Document, schemas = findSchemas(document)): NormalizedDocument {
  const hasFlags = isOpenApi30(document.openapi);
  const familyByParent = findFamilies(document);
  const allOfEntries = findAllOfEntries(document);
  const tags = findTags(document, schemas);
  const outermostKeys = new Map<object, string[]>();
  for (const { owner, key } of outermostSchemas(document))
    outermostKeys.set(owner, [...(outermostKeys.get(owner) ?? []), key]);
  const normalizedByNode = new Map<object, unknown>();

  const plain = toPlain(document) as NormalizedDocument;
  if (familyByParent.size === 0) return plain;
  const unions = [...familyByParent].map(([parent, family]) => [family.name, toUnion(parent, family)] as const);
  const componentSchemas = { ...plain.components?.['schemas'], ...Object.fromEntries(unions) };
  return { ...plain, components: { ...plain.components, schemas: componentSchemas } };

  // Rewrites each object only once: a YAML alias is the same object as the node that it stands for.
  function toPlain(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (!normalizedByNode.has(node)) normalizedByNode.set(node, rewriteNode(node));
    return normalizedByNode.get(node);
  }

  // `schemas` tells which objects are schemas: they are rewritten, other objects only contain some.
  function rewriteNode(node: object): object {
    const isSchema = schemas.has(node);
    const entries = Object.entries(node) as [string, unknown][];
    const members = entries.map(([key, value]) => {
      // As the value of `not`, which is one schema.
      const keyword = isSchema ? key : outermostKeys.get(node)?.includes(key) === true ? 'not' : '';
      return [key, toPlain(replaceBooleanSchemas(keyword, value))] as const;
    });
    const isUnchanged = members.every(([, value], index) => value === entries[index]?.[1]);
    if (Array.isArray(node)) return isUnchanged ? (node as unknown[]) : members.map(([, value]) => value);
    const copied: NormalizedSchema = isUnchanged ? node : copyExactValues(node, Object.fromEntries(members));
    if (!isSchema) return copied;
    // In OpenAPI 3.0, the validator reads `exclusiveMinimum: true` itself. 3.1 has no nullable: as any validator, ignore it.
    return rewriteSchema(node, hasFlags ? copied : withoutExclusiveFlags(withoutNullable(copied)));
  }

  // Rewrites a schema without its discriminator, and an empty enum, which Ajv refuses. `copied` is the schema after the schemas inside it were rewritten.
  function rewriteSchema(schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
    const enforceable = copied.enum?.length === 0 ? { ...omitKeywords(copied, 'enum'), not: {} } : copied;
    const rules = schema.discriminator === undefined ? enforceable : omitKeywords(enforceable, 'discriminator');
    if (schema.$ref !== undefined) return rewriteReference(schema, rules);
    // A tag is a property that a discriminator reads: requests and replies both need it.
    if (tags.has(schema)) return omitKeywords(rules, 'readOnly', 'writeOnly');
    // A parent keeps only the rules that its children share: they refer to it in their allOf. The schema that any of the
    // family matches is a new one: the union.
    if (familyByParent.has(schema)) return omitKeywords(rules, 'oneOf', 'anyOf');
    return replaceDiscriminator(schema, rules);
  }

  // A reference to the parent of a family becomes one to its union.
  function rewriteReference(schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
    const siblings = omitKeywords(copied, '$ref');
    const target = tryResolve(document, schema);
    // In the allOf of a child, the reference means the parent itself.
    const isInAllOf = allOfEntries.has(schema);
    const family = target && !isInAllOf ? familyByParent.get(target) : undefined;
    const reference: NormalizedSchema = family ? referTo(family.name) : { $ref: String(schema.$ref) };
    const hasRules = Object.keys(siblings).some((keyword) => !isAnnotation(keyword));
    if (!hasRules) return family ? { ...siblings, ...reference } : copied;
    // Older dialects ignore what is beside a reference.
    if (findDialect(document, schema)?.hasSiblings !== true) return reference;
    return { ...siblings, allOf: [...(siblings.allOf ?? []), reference] };
  }

  // Makes each alternative of oneOf and anyOf require the property that the discriminator reads.
  function replaceDiscriminator(schema: WrittenSchema, copied: NormalizedSchema): NormalizedSchema {
    const changed = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const alternatives = schema[keyword];
      const discriminator = alternatives && (schema.discriminator ?? findCommonDiscriminator(alternatives));
      if (!discriminator) return [];
      return [
        [
          keyword,
          alternatives.map((alternative) =>
            requireTagOfAlternative(discriminator, alternative, rewriteAlternative(alternative)),
          ),
        ] as const,
      ];
    });
    return changed.length === 0 ? copied : { ...copied, ...Object.fromEntries(changed) };
  }

  // If all referenced alternatives are children of one parent, they take its discriminator.
  function findCommonDiscriminator(alternatives: readonly WrittenSchema[]): Discriminator | undefined {
    const references = alternatives.filter(({ $ref }) => $ref !== undefined);
    if (references.length === 0) return undefined;
    const targets = references.map((reference) => tryResolve(document, reference) ?? reference);
    const parents = [...familyByParent.values()];
    return parents.find(({ children }) => targets.every((target) => children.has(target)))?.discriminator;
  }

  // Requires the discriminator's property, with a value that means this alternative. Only a reference has a name for that.
  function requireTagOfAlternative(discriminator: Discriminator, { $ref }: WrittenSchema, rewritten: NormalizedSchema) {
    if ($ref === undefined) return rewritten;
    return requireTag(discriminator, rewritten, discriminatorValuesOf(document, discriminator, $ref));
  }

  function rewriteAlternative(alternative: WrittenSchema): NormalizedSchema {
    // The kit made the references of a mapping itself: they are not in `schemas`.
    return schemas.has(alternative)
      ? (toPlain(alternative) as NormalizedSchema)
      : rewriteReference(alternative, { $ref: String(alternative.$ref) });
  }

  // The new schema of a family: a oneOf of its schemas, each with the value of the discriminator's property that means it.
  function toUnion(parent: WrittenSchema, { discriminator, alternatives }: Family): NormalizedSchema {
    const oneOf = alternatives.map((alternative) => {
      // A reference to the parent means the parent here: rewritten, it would lead to this union itself.
      const isParent = tryResolve(document, alternative) === parent;
      const rewritten = isParent ? (alternative as object) : rewriteAlternative(alternative);
      return requireTagOfAlternative(discriminator, alternative, rewritten);
    });
    return { oneOf };
  }
}

function withoutNullable(schema: NormalizedSchema): NormalizedSchema {
  return schema.nullable === undefined ? schema : omitKeywords(schema, 'nullable');
}

// The kit itself reads true and false here: they allow or forbid undeclared properties and items.
const KEYWORDS_WITH_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/** Replaces true by {}, which any value matches, and false by { not: {} }, which none matches (JSON Schema, Core, 4.3.2). */
function replaceBooleanSchemas(keyword: string, value: unknown): unknown {
  const hasBoolean = schemasOf(keyword, value).some((schema) => typeof schema === 'boolean');
  if (KEYWORDS_WITH_BOOLEANS.has(keyword) || !hasBoolean) return value;
  return mapSchemas(keyword, value, (schema) => (schema === true ? {} : schema === false ? { not: {} } : schema));
}
