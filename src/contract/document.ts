/** The parts of an OpenAPI document that the kit reads itself; express-openapi-validator reads the rest. */
export interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly security?: readonly SecurityRequirement[];
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> };
}

export interface OperationObject {
  readonly operationId?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: RequestBody | Reference;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly SecurityRequirement[];
}

export interface RequestBody {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean } | Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** Names of security schemes, all of which are needed; an operation lists alternatives. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
}

export interface Reference {
  readonly $ref: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly multipleOf?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

/** The schemas directly below a schema, references not followed. */
export function subschemas(schema: Schema): Schema[] {
  const { items, not, additionalProperties, prefixItems = [], allOf = [], anyOf = [], oneOf = [] } = schema;
  const named = [schema.properties, schema.patternProperties].flatMap((map) => Object.values(map ?? {}));
  const single = [items, not, additionalProperties].filter((child) => typeof child === 'object');
  return [...named, ...single, ...prefixItems, ...allOf, ...anyOf, ...oneOf];
}

/**
 * The object that a reference stands for, or the object itself where it is none.
 *
 * @throws Error when the reference leads out of the document or nowhere (RFC 6901)
 */
export function resolveReference<T extends object>(document: Document, node: T | Reference): T {
  const seen = new Set<string>();
  let target: object = node;
  while (isReference(target)) {
    if (seen.has(target.$ref)) throw new Error(`${target.$ref} refers to itself`);
    seen.add(target.$ref);
    target = follow(document, target.$ref);
  }
  return target as T;
}

function isReference(node: object): node is Reference {
  return '$ref' in node;
}

function follow(document: Document, reference: string): object {
  if (!reference.startsWith('#/')) throw new Error(`${reference} leads out of the document, which is not supported`);
  const keys = reference.slice(2).split('/');
  return keys.reduce<object>((node, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    const child = (node as Readonly<Record<string, unknown>>)[name];
    if (typeof child !== 'object' || child === null) throw new Error(`${reference} leads nowhere`);
    return child;
  }, document);
}
