// Copies the schemas of a contract into the document that EOV is given.
import { resolveReference, type Document } from '../document/document';
import { mapSchemas, schemasOf } from '../document/keywords';
import { findMarked, holdsMarked, type Mark } from '../document/marks';
import { holds, itemSchemas, collectParts, propertySchemas, additionalSchemas } from '../document/parts';
import type { Schema } from '../document/schema';
import { checkedKeywords } from './checked-keywords';

const PREFIX = '#/components/schemas/';

/** The value that a schema describes, perhaps together with other schemas. */
interface Value {
  /** All schemas that describe the value; empty if nothing in it is excluded. */
  readonly parts: readonly Schema[];
  /** readOnly in a request, writeOnly in a reply. */
  readonly excluded: Mark;
  /** Whether the schema is one of several alternatives: if it does not match, its defaults must not be filled in. */
  readonly isAlternative: boolean;
}

interface MarkedValue extends Value {
  /** The names of the properties that are excluded. */
  readonly marked: ReadonlySet<string>;
}

/** Copies schemas into another document. */
export interface SchemaCopier {
  /** Leaves out the properties that are excluded, and all that requires one of them. */
  readonly copy: (schema: Schema, excluded: Mark) => Schema;
  /** Returns the components that the copied schemas refer to. */
  readonly copies: () => [name: string, schema: Schema][];
}

export function createSchemaCopier(document: Document): SchemaCopier {
  const ids = new Map<Schema, number>();
  const components = new Map<string, { readonly name: string; readonly schema: Schema; readonly value: Value }>();

  function copyIn(value: Value, schema: Schema): Schema {
    if (schema.$ref !== undefined) return { $ref: PREFIX + nameOf(resolveReference(document, schema), value) };
    const marked = findMarked(document, value.parts, value.excluded);
    const kept = checkedKeywords(document, schema).filter(([keyword]) => keyword !== 'default' || !value.isAlternative);
    return Object.fromEntries(
      kept.map(([keyword, child]) => [keyword, copyKeyword({ ...value, marked }, keyword, child)]),
    );
  }

  /** Copies the value of one keyword without the excluded properties. */
  function copyKeyword({ marked, ...value }: MarkedValue, keyword: string, child: unknown): unknown {
    const isKept = (name: string): boolean => !marked.has(name);
    switch (keyword) {
      case 'required':
        return (child as string[]).filter(isKept);
      case 'dependentRequired':
        return mapValues(child as Record<string, string[]>, (names) => names.filter(isKept));
      case 'properties': {
        const kept = Object.entries(child as Record<string, Schema>).filter(([name]) => isKept(name));
        return mapValues(Object.fromEntries(kept), (one, name) =>
          copyIn(toValue(value, propertySchemas(value.parts, name)), one),
        );
      }
      default: {
        if (schemasOf(keyword, child).length === 0) return child;
        const below = toBelow(value, keyword);
        return mapSchemas(keyword, child, (one) => (typeof one === 'object' ? copyIn(below, one as Schema) : one));
      }
    }
  }

  /** The value that the schemas of a keyword describe. */
  function toBelow(value: Value, keyword: string): Value {
    switch (keyword) {
      case 'allOf':
        return value;
      case 'items':
      case 'unevaluatedItems':
        return toValue(value, itemSchemas(value.parts));
      case 'contains':
        return { ...toValue(value, itemSchemas(value.parts)), isAlternative: true };
      case 'additionalProperties':
      case 'unevaluatedProperties':
        return toValue(value, additionalSchemas(value.parts));
      case 'prefixItems':
      case 'patternProperties':
      case 'propertyNames':
        return toValue(value, []);
      default:
        return { ...value, isAlternative: true };
    }
  }

  function toValue({ excluded, isAlternative }: Value, schemas: readonly Schema[]): Value {
    const parts = collectParts(document, schemas);
    const isWhole = !parts.some((part) => holdsMarked(document, part, excluded));
    return { parts: isWhole ? [] : parts, excluded, isAlternative };
  }

  // Names the copy of a referenced schema; the same schema has another copy where other properties are excluded.
  function nameOf(schema: Schema, value: Value): string {
    const { parts, excluded } = value;
    const isAlternative = value.isAlternative && holds(document, schema, hasDefault);
    const key = [idOf(schema), isAlternative, ...(parts.length > 0 ? [excluded, ...parts.map(idOf)] : [])].join();
    const { name } = components.get(key) ?? { name: String(components.size) };
    components.set(key, { name, schema, value: { ...value, isAlternative } });
    return name;
  }

  function idOf(schema: Schema): number {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  }

  return {
    copy: (schema, excluded) => copyIn(toValue({ parts: [], excluded, isAlternative: false }, [schema]), schema),
    // The map grows during the loop: a copy may refer to a schema that no earlier copy referred to.
    copies: () => {
      const copied: [string, Schema][] = [];
      for (const { name, schema, value } of components.values()) copied.push([name, copyIn(value, schema)]);
      return copied;
    },
  };
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined;
}

function mapValues<T>(members: Readonly<Record<string, T>>, change: (member: T, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}
