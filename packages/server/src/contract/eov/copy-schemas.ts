import { resolveReference, type Document } from '../document/document';
import { withoutExactRules } from '../document/exact-rules';
import { isAnnotation } from '../document/keywords';
import { findMarked, holdsMarked, type Mark } from '../document/marks';
import { holds, itemsOf, joinParts, membersOf, othersOf } from '../document/parts';
import type { Schema } from '../document/schema';
import { isUnknown } from '../document/schema-support';

const PREFIX = '#/components/schemas/';

/** The value that a schema describes part of. */
interface Value {
  /** All schemas of the value; none where nothing in it is excluded. */
  readonly parts: readonly Schema[];
  readonly excluded: Mark;
  /** Whether a schema around it may turn out not to match: then it fills in no default. */
  readonly isAlternative: boolean;
}

interface MarkedValue extends Value {
  /** The properties that it does not have. */
  readonly marked: ReadonlySet<string>;
}

// The kit decides these before the validator does, which would do less.
const LEFT_OUT = new Set(['readOnly', 'writeOnly', 'discriminator', '$defs']);

/** Copies schemas into another document. `copies` returns the components that the copied schemas refer to, by name. */
export interface SchemaCopier {
  /** Leaves out the properties that are excluded, and all that requires one of them. */
  readonly copy: (schema: Schema, excluded: Mark) => Schema;
  readonly copies: () => [name: string, schema: Schema][];
}

export function copySchemas(document: Document): SchemaCopier {
  const ids = new Map<Schema, number>();
  const components = new Map<string, { readonly name: string; readonly schema: Schema; readonly value: Value }>();

  function copyIn(value: Value, schema: Schema): Schema {
    if (schema.$ref !== undefined) return { $ref: PREFIX + nameOf(resolveReference(document, schema), value) };
    const marked = findMarked(document, value.parts, value.excluded);
    const copied = Object.entries(withoutExactRules(document, schema)).flatMap(
      ([keyword, child]: [string, unknown]) => {
        return isLeftOut(schema, keyword, value)
          ? []
          : [[keyword, copyKeyword({ ...value, marked }, keyword, child)] as const];
      },
    );
    return Object.fromEntries(copied);
  }

  // The validator would take an unknown keyword for one of an older JSON Schema, and an `id` in an example for one of a schema.
  function isLeftOut(schema: Schema, keyword: string, { isAlternative }: Value): boolean {
    if (LEFT_OUT.has(keyword) || isAnnotation(keyword) || isUnknown(document, keyword)) return true;
    if (keyword === 'default') return isAlternative;
    // Without a type, it changes nothing (OpenAPI 3.0.3, Schema Object), and the validator refuses to compile it.
    return keyword === 'nullable' && (schema.type === undefined || schema.nullable === false);
  }

  function copyKeyword({ marked, ...value }: MarkedValue, keyword: string, child: unknown): unknown {
    switch (keyword) {
      case 'required':
        return (child as string[]).filter((name) => !marked.has(name));
      case 'properties': {
        const kept = Object.entries(child as Record<string, Schema>).filter(([name]) => !marked.has(name));
        return mapValues(kept, (property, name) => copyIn(toValue(value, membersOf(value.parts, name)), property));
      }
      case 'allOf':
        return (child as Schema[]).map((part) => copyIn(value, part));
      case 'anyOf':
      case 'oneOf':
        return (child as Schema[]).map((part) => copyIn({ ...value, isAlternative: true }, part));
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        return copyIn({ ...value, isAlternative: true }, child as Schema);
      case 'dependentSchemas':
        return mapValues(Object.entries(child as Record<string, Schema>), (one) => {
          return copyIn({ ...value, isAlternative: true }, one);
        });
      case 'dependentRequired':
        return mapValues(Object.entries(child as Record<string, string[]>), (names) =>
          names.filter((name) => !marked.has(name)),
        );
      case 'items':
      case 'unevaluatedItems':
        return typeof child === 'object' ? copyIn(toValue(value, itemsOf(value.parts)), child as Schema) : child;
      case 'contains':
        return copyIn({ ...toValue(value, itemsOf(value.parts)), isAlternative: true }, child as Schema);
      case 'propertyNames':
        return copyIn(toValue(value, []), child as Schema);
      case 'additionalProperties':
      case 'unevaluatedProperties':
        return typeof child === 'object' ? copyIn(toValue(value, othersOf(value.parts)), child as Schema) : child;
      case 'prefixItems':
        return (child as Schema[]).map((item) => copyIn(toValue(value, []), item));
      case 'patternProperties':
        return mapValues(Object.entries(child as Record<string, Schema>), (one) => copyIn(toValue(value, []), one));
      default:
        return structuredClone(child);
    }
  }

  function toValue({ excluded, isAlternative }: Value, schemas: readonly Schema[]): Value {
    const parts = joinParts(document, schemas);
    const isWhole = !parts.some((part) => holdsMarked(document, part, excluded));
    return { parts: isWhole ? [] : parts, excluded, isAlternative };
  }

  // A component is copied once for each kind of value that it is part of.
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

function mapValues<T>(
  members: readonly (readonly [string, T])[],
  change: (member: T, name: string) => T,
): Record<string, T> {
  return Object.fromEntries(members.map(([name, member]) => [name, change(member, name)]));
}
