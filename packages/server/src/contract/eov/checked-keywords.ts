// Selects the keywords of a schema that EOV is given.
import type { Document } from '../document/document';
import { withoutExactRules } from '../document/exact-rules';
import { isAnnotation } from '../document/keywords';
import type { Schema } from '../document/schema';
import { isUnknown } from '../document/schema-support';

// The kit enforces these itself, in ways that the validator cannot.
const CHECKED_BY_KIT = new Set(['readOnly', 'writeOnly', 'discriminator', '$defs', 'definitions']);

/**
 * Lists the keywords of a schema that the validator is given, with their values. All others are left out: it would read an
 * unknown keyword as one of an older JSON Schema, and an `id` inside an example as the id of a schema.
 */
export function checkedKeywords(document: Document, schema: Schema): (readonly [keyword: string, value: unknown])[] {
  // Rules for int64s that need more digits than a double has are checked elsewhere.
  return Object.entries(withoutExactRules(document, schema)).filter(([keyword]) => {
    if (CHECKED_BY_KIT.has(keyword) || isAnnotation(keyword) || isUnknown(document, keyword)) return false;
    // nullable without a type changes nothing (OpenAPI 3.0.3, Schema Object), and the validator refuses to compile it.
    return keyword !== 'nullable' || (schema.type !== undefined && schema.nullable === true);
  });
}
