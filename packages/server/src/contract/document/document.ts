// The types of an OpenAPI document, as far as the kit reads it.
import { followReference } from './follow-reference';
import { Mistake } from './mistake';
import type { Schema } from './schema';

export type { Schema };

/** The parts of an OpenAPI document that the kit reads itself. */
export interface Document {
  readonly openapi: string;
  readonly jsonSchemaDialect?: string;
  /** YAML takes a version such as 1.0 for a number. */
  readonly info: { readonly title: string; readonly version: string | number };
  /** Missing in a document of OpenAPI 3.1 that has webhooks only: path-item.ts reads them. */
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly servers?: readonly Server[];
  readonly security?: readonly SecurityRequirement[];
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme | Reference>>;
  } & Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Server {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

/** The operations of a path, as the document has them. */
export interface PathItem {
  readonly $ref?: string;
  readonly parameters?: readonly (ParameterObject | Reference)[];
}

export interface OperationObject {
  readonly operationId?: string;
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBody | Reference;
  /** OpenAPI 3.1 needs none. */
  readonly responses?: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly SecurityRequirement[];
}

/** A parameter, as the document has it. */
export interface ParameterObject extends HeaderObject {
  readonly name: string;
  readonly in: string;
}

/** A header of a reply: a parameter without name and location. */
export interface HeaderObject {
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
}

export interface RequestBody {
  readonly required?: boolean;
  readonly content: Content;
}

export interface Response {
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Content;
}

/** By media type. `encoding` tells how the parts of a form are written, by name. */
export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly encoding?: Encodings }>>;
type Encodings = Readonly<Record<string, Encoding>>;

export interface Encoding extends Pick<HeaderObject, 'style' | 'explode' | 'allowReserved'> {
  readonly contentType?: string;
}

/** Names of security schemes that are needed together. An operation lists alternatives. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

/** A reference within the document. */
export interface Reference {
  readonly $ref: string;
}

/**
 * Follows a reference to its object, through references to references. Any other object is returned as it is.
 *
 * @throws Mistake when the reference leads nowhere (RFC 6901); `parseYaml` refused references to other documents
 * @example resolveReference(document, { $ref: '#/components/schemas/Plant' })
 */
export function resolveReference<T extends object>(document: Document, node: T | Reference): T {
  const followed = new Set<string>();
  let target: object = node;
  while (isReference(target)) {
    if (followed.has(target.$ref)) throw new Mistake(node, `${target.$ref} refers to itself`, '$ref');
    followed.add(target.$ref);
    target = followReference(document, target);
  }
  return target as T;
}

function isReference(node: object): node is Reference {
  return '$ref' in node;
}
