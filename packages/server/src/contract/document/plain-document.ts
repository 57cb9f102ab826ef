// Rewrites a contract without discriminators and keywords beside `$ref`, so that any validator reads it alike.
import { withoutBooleans, withoutBooleansOutside } from './boolean-schemas';
import { withoutExclusiveFlags } from './dialect';
import type { Document } from './document';
import { copyExactValues } from './exact-numbers';
import { findSchemas } from './find-schemas';
import { isOpenApi30 } from './keywords';
import { createSchemaRewriter } from './schema-rewriter';

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
