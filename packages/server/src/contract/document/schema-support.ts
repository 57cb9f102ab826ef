// Refuses keywords that the kit cannot enforce.
import { assertPatterns } from './assert-patterns';
import { assertDialect } from './dialect';
import { resolveReference, type Document } from './document';
import { findWrongDefault } from './find-wrong-default';
import { assertName } from './inherited-names';
import { isAnnotation, isOpenApi30, valueKindOf } from './keywords';
import type { Mark } from './marks';
import { Mistake } from './mistake';
import { subschemas, type Schema } from './schema';

const UNSUPPORTED = new Map([['$dynamicRef', 'what it refers to depends on the schema around it: write $ref']]);

// OpenAPI 3.0, Schema Object: default.
const CONSEQUENCE = 'OpenAPI 3.0 demands that it is';

/**
 * Asserts that the kit can enforce a schema and every schema below it, but for those `seen`, to which it adds them.
 *
 * @param mark what the message must not have: of a request, readOnly
 *
 * @throws Mistake that names the keyword
 */
export function assertSupportedSchema(document: Document, node: Schema, seen: Set<Schema>, mark?: Mark): void {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  assertDialect(document, schema);
  for (const keyword of Object.keys(schema)) {
    const problem = UNSUPPORTED.get(keyword);
    if (problem !== undefined) throw new Mistake(schema, problem, keyword);
    // In OpenAPI 3.1, an unknown keyword is allowed and ignored.
    if (isOpenApi30(document.openapi) && isUnknown(document, keyword)) {
      throw new Mistake(schema, `OpenAPI 3.0 has no schema keyword ${keyword}`, keyword);
    }
  }
  // In a reply nothing is filled in.
  const hasDefault = mark === 'readOnly' && isOpenApi30(document.openapi);
  const [wrongDefault] = hasDefault ? findWrongDefault(schema, CONSEQUENCE) : [];
  if (wrongDefault) throw wrongDefault;
  assertPatterns(schema);
  for (const name of [schema.required ?? [], ...Object.values(schema.dependentRequired ?? {})].flat()) {
    assertName(schema, name);
    if (name === '') throw new Mistake(schema, 'no property can be required whose name is empty: Ajv does not miss it');
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    assertName(schema, name, resolveReference(document, child));
  }
  if (schema.readOnly === true && schema.writeOnly === true) {
    throw new Mistake(schema, 'what is readOnly cannot be writeOnly too: leave one of them out', 'writeOnly');
  }
  for (const child of subschemas(schema)) assertSupportedSchema(document, child, seen, mark);
}

/** Whether OpenAPI has no such schema keyword, so that nothing checks it. */
export function isUnknown({ openapi }: Document, keyword: string): boolean {
  return valueKindOf(keyword, openapi) === undefined && !isAnnotation(keyword);
}
