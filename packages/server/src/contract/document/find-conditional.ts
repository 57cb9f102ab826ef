// Finds the parts of a schema that a valid value need not match, such as those of `if`.
import { resolveReference, type Document } from './document';
import { schemasOf } from './keywords';
import { ALTERNATIVES } from './parts';
import { subschemas, type Schema } from './schema';

const CONDITIONAL_KEYWORDS = [...ALTERNATIVES, 'not', 'contains'] as const;

export function findConditional(document: Document, schema: Schema): ReadonlySet<Schema> {
  const conditional = [...collectSchemas(document, [schema])].flatMap((one) =>
    CONDITIONAL_KEYWORDS.flatMap((keyword) => schemasOf(keyword, one[keyword])),
  );
  return collectSchemas(document, conditional as Schema[]);
}

function collectSchemas(document: Document, roots: readonly Schema[]): ReadonlySet<Schema> {
  const collected = new Set(roots.map((root) => resolveReference(document, root)));
  // The set grows during the loop.
  for (const schema of collected) {
    for (const child of subschemas(schema)) collected.add(resolveReference(document, child));
  }
  return collected;
}
