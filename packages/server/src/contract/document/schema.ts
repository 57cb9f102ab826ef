/** A schema, as the document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A flag in OpenAPI 3.0. */
  readonly exclusiveMinimum?: number | boolean;
  readonly exclusiveMaximum?: number | boolean;
  readonly multipleOf?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly discriminator?: Discriminator;
}

/** Which property of a value names its schema. */
export interface Discriminator {
  readonly propertyName: string;
  /** The names of schemas, or references to them, by the value of the property. */
  readonly mapping?: Readonly<Record<string, string>>;
}

/**
 * The schemas directly below a schema. References are not followed.
 *
 * @example subschemas({ items: { type: 'string' } }) // [{ type: 'string' }]
 */
export function subschemas(schema: Schema): Schema[] {
  const { items, not, additionalProperties, prefixItems = [], allOf = [], anyOf = [], oneOf = [] } = schema;
  const named = [schema.properties, schema.patternProperties].flatMap((map) => Object.values(map ?? {}));
  const single = [items, not, additionalProperties].filter((child) => typeof child === 'object');
  return [...named, ...single, ...prefixItems, ...allOf, ...anyOf, ...oneOf];
}

/** A schema without some of its keywords. */
export function without(schema: Schema, ...keywords: readonly (keyof Schema)[]): Schema {
  const kept = Object.entries(schema).filter(([keyword]) => !(keywords as readonly string[]).includes(keyword));
  return Object.fromEntries(kept);
}
