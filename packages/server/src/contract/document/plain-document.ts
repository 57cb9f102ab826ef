// Rewrites a contract in plain JSON Schema, without discriminators and keywords beside `$ref`.
import { withoutBooleans, withSchemas } from './boolean-schemas';
import { findDialect, withLimits } from './dialect';
import { findTags, namesOf, referTo, toTagged } from './discriminator';
import type { Document } from './document';
import { carryExact } from './exact-numbers';
import { findFamilies, findInheriting, type Family } from './families';
import { findSchemas, tryResolve } from './find-schemas';
import { without, type Discriminator, type Schema } from './schema';
import { isAnnotation, isOldVersion } from './keywords';

type Node = Readonly<Record<string, unknown>>;

/**
 * A contract in plain words of JSON Schema: what a discriminator says is `required` and an `enum`, and what stands beside
 * a reference is in an allOf with it (OpenAPI 3.0 ignores it). What says nothing else stays the same object.
 *
 * A schema that others inherit from stands for itself only where they do. Elsewhere it is any of them.
 *
 * @example const { operations } = readOperations(toPlainDocument(parseYaml(source, file) as Document))
 */
export function toPlainDocument(document: Document, schemas = findSchemas(document)): Document {
  const families = findFamilies(document);
  const inheriting = findInheriting(document);
  const isOld = isOldVersion(document.openapi);
  const tags = findTags(document, schemas);
  const known = new Map<object, unknown>();

  function toPlain(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (!known.has(node)) known.set(node, copy(node));
    return known.get(node);
  }

  function copy(node: object): object {
    if (Array.isArray(node)) return keepSame(node, node.map(toPlain));
    const isSchema = schemas.has(node);
    const members = Object.entries(node as Node).map(([key, value]) => {
      return [key, toPlain(isSchema ? withoutBooleans(key, value) : withSchemas(key, value))] as const;
    });
    const copied = members.every(([key, value]) => value === (node as Node)[key])
      ? node
      : carryExact(node, toObject(members));
    return isSchema ? rewrite(node, isOld ? copied : withLimits(copied)) : copied;
  }

  function rewrite(schema: Schema, copied: Schema): Schema {
    if (copied.$ref !== undefined) return rewriteReference(schema, copied);
    if (tags.has(schema)) return without(copied, 'readOnly', 'writeOnly');
    const family = families.get(schema);
    return family ? without(copied, 'discriminator', 'oneOf', 'anyOf') : tagAlternatives(schema, copied);
  }

  function rewriteReference(schema: Schema, copied: Schema): Schema {
    const beside = without(copied, '$ref');
    const target = tryResolve(document, schema);
    const family = target && !inheriting.has(schema) ? families.get(target) : undefined;
    const reference: Schema = family ? referTo(family.name) : { $ref: String(schema.$ref) };
    const rules = Object.keys(beside).filter((keyword) => !isAnnotation(keyword));
    if (rules.length === 0) return family ? { ...beside, ...reference } : schema;
    return findDialect(document, schema)?.hasSiblings
      ? { ...beside, allOf: [...(beside.allOf ?? []), reference] }
      : reference;
  }

  function tagAlternatives(schema: Schema, copied: Schema): Schema {
    const changes = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
      const nodes = schema[keyword];
      const discriminator = nodes && (schema.discriminator ?? findInherited(nodes));
      return nodes && discriminator ? [[keyword, nodes.map((node) => tag(discriminator, node))] as const] : [];
    });
    if (changes.length === 0 && schema.discriminator === undefined) return copied;
    return { ...without(copied, 'discriminator'), ...Object.fromEntries(changes) };
  }

  // Alternatives of one family have its discriminator.
  function findInherited(nodes: readonly Schema[]): Discriminator | undefined {
    const targets = nodes.filter(({ $ref }) => $ref !== undefined).map((node) => tryResolve(document, node) ?? node);
    if (targets.length === 0) return undefined;
    return [...families.values()].find(({ children }) => targets.every((target) => children.has(target)))
      ?.discriminator;
  }

  function tag(discriminator: Discriminator, node: Schema, parent?: Schema): Schema {
    const isParent = parent !== undefined && tryResolve(document, node) === parent;
    const plain = isParent ? node : rewriteAlternative(node);
    const { $ref } = node;
    return $ref === undefined ? plain : toTagged(discriminator, plain, namesOf(document, discriminator, $ref));
  }

  // The alternatives of a mapping are no nodes of the document.
  function rewriteAlternative(node: Schema): Schema {
    return schemas.has(node) ? (toPlain(node) as Schema) : rewriteReference(node, node);
  }

  function toUnion(parent: Schema, { discriminator, alternatives }: Family): Schema {
    return { oneOf: alternatives.map((node) => tag(discriminator, node, parent)) };
  }

  const plain = toPlain(document) as Document;
  if (families.size === 0) return plain;
  const unions = [...families].map(([parent, family]) => [family.name, toUnion(parent, family)] as const);
  const all = { ...plain.components?.['schemas'], ...toObject(unions) };
  return { ...plain, components: { ...plain.components, schemas: all } };
}

function keepSame(node: readonly unknown[], copied: readonly unknown[]): readonly unknown[] {
  return copied.every((value, index) => value === node[index]) ? node : copied;
}

// A key may be __proto__.
function toObject(members: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(members);
}
