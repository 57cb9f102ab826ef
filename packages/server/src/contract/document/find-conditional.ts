// Finds the parts of a schema that a valid value need not match, such as those of `if`.
import { resolveReference, type Document } from './document';
import { schemasOf } from './keywords';
import { ALTERNATIVES } from './parts';
import { subschemas, type Schema } from './schema';

const CONDITIONS = [...ALTERNATIVES, 'not', 'contains'] as const;

/** Finds the schemas inside a schema that a valid value need not match. */
export function findConditional(document: Document, schema: Schema): ReadonlySet<Schema> {
  const all = findBelow(document, [schema]);
  const conditional = [...all].flatMap((one) => CONDITIONS.flatMap((keyword) => schemasOf(keyword, one[keyword])));
  return findBelow(document, conditional as Schema[]);
}

function findBelow(document: Document, roots: readonly Schema[]): ReadonlySet<Schema> {
  const found = new Set(roots.map((one) => resolveReference(document, one)));
  // The set grows during the loop.
  for (const one of found) for (const child of subschemas(one)) found.add(resolveReference(document, child));
  return found;
}
