import { copyExactValues } from '../yaml/exact-numbers';
import { schemasOf } from './keywords';

/** A schema. In a document that toPlainDocument rewrote it is always an object; before, it may also be true or false. */
export interface Schema {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number | boolean;
  readonly exclusiveMaximum?: number | boolean;
  readonly nullable?: boolean;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minContains?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly unevaluatedProperties?: boolean | Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly unevaluatedItems?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly contains?: Schema;
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
  /** What $defs were called before 2019-09. */
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly discriminator?: Discriminator;
}

/** OpenAPI's Discriminator Object: the property of a value that names its schema. */
export interface Discriminator {
  readonly propertyName: string;
  /** The names of schemas, or references to them, by the value of the property. */
  readonly mapping?: Readonly<Record<string, string>>;
}

/**
 * Lists the schemas directly inside a schema: all but true, false and those of $defs and definitions, which apply only
 * where they are referred to. References are not followed.
 *
 * @example subschemas({ items: { type: 'string' } }) // [{ type: 'string' }]
 */
export function subschemas(schema: Schema): Schema[] {
  const children = Object.entries(schema)
    .filter(([keyword]) => keyword !== '$defs' && keyword !== 'definitions')
    .flatMap(([keyword, value]) => schemasOf(keyword, value));
  return children.filter(isObject);
}

/** The schemas below `$defs` and `definitions`, which only references apply. */
export function definitionsOf({ $defs = {}, definitions = {} }: Schema): Schema[] {
  return [...Object.values($defs), ...Object.values(definitions)].filter(isObject);
}

/** Whether a value is an object or a list: of what may be a schema, not true or false. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function without(schema: Schema, ...keywords: readonly (keyof Schema)[]): Schema {
  const removed = new Set<string>(keywords);
  const kept = Object.entries(schema).filter(([keyword]) => !removed.has(keyword));
  return copyExactValues(schema, Object.fromEntries(kept));
}

/** Compiles with the flag u, as JSON Schema demands; without it if only that compiles. Throws a SyntaxError if neither does. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
