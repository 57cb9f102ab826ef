// Rewrites the schemas of a document.
import { copyExactValues } from '../1-parse/parse-yaml';
import type { Document, NormalizedDocument } from '../2-resolve/document';
import { outermostSchemas } from '../2-resolve/find-schemas';
import { mapSchemas, schemasOf, type NormalizedSchema, type WrittenSchema } from '../2-resolve/schema';

/**
 * Rewrites each schema of a document after its nested schemas. Unchanged objects are not copied.
 *
 * @param rewrite takes a schema, and a copy of it in which nested schemas are already rewritten
 */
export function rewriteSchemas(
  document: Document,
  schemas: ReadonlySet<WrittenSchema>,
  rewrite: (schema: WrittenSchema, copied: NormalizedSchema) => NormalizedSchema,
): NormalizedDocument {
  const outermost = Map.groupBy(outermostSchemas(document), ({ owner }) => owner);
  const rewrittenByNode = new Map<object, unknown>();
  return toPlain(document) as NormalizedDocument;

  // Rewrites each object only once, so that YAML aliases still share it.
  function toPlain(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (!rewrittenByNode.has(node)) rewrittenByNode.set(node, rewriteNode(node));
    return rewrittenByNode.get(node);
  }

  function rewriteNode(node: object): object {
    const isSchema = schemas.has(node);
    const entries = Object.entries(node) as [string, unknown][];
    const members = entries.map(([key, value]) => {
      // An outermost schema is a single schema, like the value of `not`.
      const isOutermost = outermost.get(node)?.some((outermostSchema) => outermostSchema.key === key) === true;
      return [key, toPlain(replaceBooleanSchemas(isSchema ? key : isOutermost ? 'not' : '', value))] as const;
    });
    const isUnchanged = members.every(([, value], index) => value === entries[index]?.[1]);
    if (Array.isArray(node)) return isUnchanged ? (node as unknown[]) : members.map(([, value]) => value);
    const copied: NormalizedSchema = isUnchanged ? node : copyExactValues(node, Object.fromEntries(members));
    return isSchema ? rewrite(node, copied) : copied;
  }
}

// The kit handles booleans in these keywords itself. They allow or forbid undeclared properties and items.
const KEYWORDS_WITH_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/** Replaces true with {} and false with { not: {} }, which are equivalent (JSON Schema Core, section 4.3.2). */
function replaceBooleanSchemas(keyword: string, value: unknown): unknown {
  const hasBoolean = schemasOf(keyword, value).some((schema) => typeof schema === 'boolean');
  if (KEYWORDS_WITH_BOOLEANS.has(keyword) || !hasBoolean) return value;
  return mapSchemas(keyword, value, (schema) => (schema === true ? {} : schema === false ? { not: {} } : schema));
}
