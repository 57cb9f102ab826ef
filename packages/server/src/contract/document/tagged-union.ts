// Finds alternatives that a discriminator tells apart.
import { resolveReference, type Document } from './document';
import type { Schema } from './schema';

/** A discriminator's property, and its values that name one schema. */
interface Tag {
  readonly property: string;
  readonly names: readonly string[];
}

const TAG = Symbol('tag');

/** Adds to an alternative the values by which a discriminator names it. */
export function withTag(schema: Schema, tag: Tag): Schema {
  return Object.assign(schema, { [TAG]: tag });
}

/** A schema whose alternatives a discriminator tells apart. */
export interface TaggedUnion {
  readonly property: string;
  readonly schema: Schema;
  readonly keyword: 'oneOf' | 'anyOf';
  /** By the value of the property. */
  readonly alternatives: ReadonlyMap<string, Schema>;
}

/** Finds the first oneOf or anyOf whose object schemas all have a tag, among schemas that every value has to match. */
export function findTaggedUnion(parts: readonly Schema[]): TaggedUnion | undefined {
  for (const schema of parts) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const objects = (schema[keyword] ?? []).filter(({ type }) => type !== 'null');
      const tagged = objects.flatMap((one: Schema & { readonly [TAG]?: Tag }) => {
        return one[TAG] && one[TAG].names.length > 0 ? [{ one, ...one[TAG] }] : [];
      });
      const [first] = tagged;
      if (!first || objects.length < 2 || tagged.length < objects.length) continue;
      const entries = tagged.flatMap(({ one, names }) => names.map((name) => [name, one] as const));
      return { property: first.property, schema, keyword, alternatives: new Map(entries) };
    }
  }
  return undefined;
}

/** Copies a schema with only one alternative of the union, which may be inside allOf. */
export function narrow(document: Document, node: Schema, union: TaggedUnion, alternative: Schema): Schema {
  const schema = resolveReference(document, node);
  if (schema === union.schema) return { ...schema, [union.keyword]: [alternative] };
  const allOf = schema.allOf?.map((part) => narrow(document, part, union, alternative));
  return allOf?.some((part, index) => part !== schema.allOf?.[index]) === true ? { ...schema, allOf } : node;
}
