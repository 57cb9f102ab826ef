// Finds alternatives that a discriminator tells apart.
import { resolveReference, type Document } from './document';
import type { Schema } from './schema';

/** A discriminator's property, and its values that name one schema. */
interface Tag {
  readonly property: string;
  readonly values: readonly string[];
}

const TAG = Symbol('tag');

export function withTag(schema: Schema, tag: Tag): Schema {
  return Object.assign(schema, { [TAG]: tag });
}

/** The tag of an alternative that requires one. */
export function tagOf(alternative: Schema & { readonly [TAG]?: Tag }): Tag | undefined {
  return alternative[TAG];
}

export interface TaggedUnion {
  readonly property: string;
  readonly schema: Schema;
  readonly keyword: 'oneOf' | 'anyOf';
  /** By the value of the property. */
  readonly alternatives: ReadonlyMap<string, Schema>;
}

/** Finds the first oneOf or anyOf of which each alternative but null has a tag. Every value has to match `parts`. */
export function findTaggedUnion(parts: readonly Schema[]): TaggedUnion | undefined {
  for (const schema of parts) {
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const objects = (schema[keyword] ?? []).filter(({ type }) => type !== 'null');
      const tagged = objects.flatMap((alternative) => {
        const tag = tagOf(alternative);
        return tag && tag.values.length > 0 ? [{ alternative, ...tag }] : [];
      });
      const [first] = tagged;
      // With one alternative there is nothing to tell apart.
      if (!first || objects.length < 2 || tagged.length < objects.length) continue;
      const byValue = tagged.flatMap(({ alternative, values }) => values.map((value) => [value, alternative] as const));
      return { property: first.property, schema, keyword, alternatives: new Map(byValue) };
    }
  }
  return undefined;
}

/** Copies a schema with only one alternative of a union inside it or its allOf. Without the union, returns it as it is. */
export function narrow(document: Document, node: Schema, union: TaggedUnion, alternative: Schema): Schema {
  const schema = resolveReference(document, node);
  if (schema === union.schema) return { ...schema, [union.keyword]: [alternative] };
  const { allOf = [] } = schema;
  const narrowed = allOf.map((part) => narrow(document, part, union, alternative));
  const hasUnion = narrowed.some((part, index) => part !== allOf[index]);
  return hasUnion ? { ...schema, allOf: narrowed } : node;
}
