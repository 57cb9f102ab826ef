import { resolveReference, type Document, type Schema } from '../document/document';

const PREFIX = '#/components/schemas/';
const MAPS = new Set(['properties', 'patternProperties']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SINGLE = new Set(['items', 'not', 'additionalProperties']);

/** Copies schemas into another document. `copies` returns the components that the copied schemas refer to, by name. */
export function copySchemas(document: Document): {
  readonly copy: (schema: Schema) => Schema;
  readonly copies: () => [name: string, schema: Schema][];
} {
  const names = new Map<Schema, string>();

  // Without a type, `nullable` changes nothing (OpenAPI 3.0.3, Schema Object), and the validator refuses to compile it.
  function copy(schema: Schema): Schema {
    if (schema.$ref !== undefined) return { $ref: PREFIX + nameOf(resolveReference(document, schema)) };
    const keywords = Object.entries(schema).filter(([keyword]) => keyword !== 'nullable' || schema.type !== undefined);
    return Object.fromEntries(keywords.map(([keyword, value]) => [keyword, copyValue(keyword, value)]));
  }

  function copyValue(keyword: string, value: unknown): unknown {
    if (MAPS.has(keyword)) {
      const members = Object.entries(value as Record<string, Schema>);
      return Object.fromEntries(members.map(([name, schema]) => [name, copy(schema)]));
    }
    if (LISTS.has(keyword)) return (value as Schema[]).map(copy);
    return SINGLE.has(keyword) && typeof value === 'object' ? copy(value as Schema) : structuredClone(value);
  }

  function nameOf(schema: Schema): string {
    const name = names.get(schema) ?? String(names.size);
    names.set(schema, name);
    return name;
  }

  return {
    copy,
    // The map grows during the loop: a copy may refer to a schema that no earlier copy referred to.
    copies: () => {
      const copied: [string, Schema][] = [];
      for (const [schema, name] of names) copied.push([name, copy(schema)]);
      return copied;
    },
  };
}
