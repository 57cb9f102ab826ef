// The types of an OpenAPI document, as far as the kit reads it.
import { fromPointerKey, DocumentError } from '../text/document-error';
import { decodeUnreserved, tryDecode } from '../text/uri';
import { whyUnfollowed } from '../1-parse/parse-yaml';
import type { NormalizedSchema, WrittenSchema } from './schema';
import { kindAt } from './structure';

/** The parts of an OpenAPI document that the kit reads itself, as it is written. */
export interface Document<S = WrittenSchema> {
  readonly openapi: string;
  readonly jsonSchemaDialect?: string;
  /** YAML takes a version such as 1.0 for a number. */
  readonly info: { readonly title: string; readonly version: string | number };
  /** Missing in a document of OpenAPI 3.1 that has webhooks only: read them by `pathsOf`. */
  readonly paths: Readonly<Record<string, PathItem<S>>>;
  readonly servers?: readonly Server[];
  readonly security?: readonly SecurityRequirement[];
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme | Reference>>;
  } & Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The document that toPlainDocument makes of one. */
export type NormalizedDocument = Document<NormalizedSchema>;

interface Server {
  /** Missing where it is malformed. */
  readonly url?: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

/** The operations of a path, as the document has them. */
export interface PathItem<S = NormalizedSchema> {
  readonly $ref?: string;
  readonly servers?: readonly Server[];
  readonly parameters?: readonly (ParameterObject<S> | Reference)[];
}

export interface OperationObject<S = NormalizedSchema> {
  readonly operationId?: string;
  readonly servers?: readonly Server[];
  readonly parameters?: readonly (ParameterObject<S> | Reference)[];
  readonly requestBody?: RequestBody<S> | Reference;
  /** OpenAPI 3.1 needs none. */
  readonly responses?: Readonly<Record<string, Response<S> | Reference>>;
  readonly security?: readonly SecurityRequirement[];
}

/** A parameter, as the document has it. */
export interface ParameterObject<S = NormalizedSchema> extends HeaderObject<S> {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}

/** A header of a reply: a parameter without name and location. */
export interface HeaderObject<S = NormalizedSchema> {
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: S;
  readonly content?: Content<S>;
}

export interface RequestBody<S = NormalizedSchema> {
  readonly required?: boolean;
  readonly content: Content<S>;
  /** The largest body, such as `2gb`. */
  readonly 'x-body-limit'?: unknown;
}

export interface Response<S = NormalizedSchema> {
  readonly headers?: Readonly<Record<string, HeaderObject<S> | Reference>>;
  readonly content?: Content<S>;
}

/** `encoding` tells how the parts of a form are written, by name. */
export interface MediaTypeObject<S = NormalizedSchema> {
  readonly schema?: S;
  readonly encoding?: Encodings;
  readonly itemSchema?: S;
  /** The same before OpenAPI 3.2. */
  readonly 'x-oai-itemSchema'?: S;
  readonly 'x-json-events'?: JsonEvents;
}
/** By media type. */
export type Content<S = NormalizedSchema> = Readonly<Record<string, MediaTypeObject<S> | Reference>>;

/** Which events have JSON as data, by the value of `event`: those in `json`, and of those in neither list all or none. */
export interface JsonEvents {
  readonly json: readonly unknown[];
  readonly text: readonly unknown[];
  readonly others: boolean;
}
export type Encodings = Readonly<Record<string, Encoding>>;

interface Encoding extends Pick<HeaderObject, 'style' | 'explode' | 'allowReserved'> {
  readonly contentType?: string;
  readonly headers?: object;
}

/** Names of security schemes that are needed together. An operation lists alternatives. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

const SCHEMES = '#/components/securitySchemes/';

/** The name of the security scheme that a requirement means by its name, or since OpenAPI 3.2 by its URI. */
export function toSchemeName(key: string): string {
  return key.startsWith(SCHEMES) ? key.slice(SCHEMES.length) : key;
}

/** A Security Scheme Object. */
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
 * @throws DocumentError when the reference leads nowhere (RFC 6901) or to another kind of object, or is never followed
 * @example resolveReference(document, { $ref: '#/components/schemas/Plant' })
 */
export function resolveReference<T extends object>(
  document: Document<unknown>,
  node: T | Reference,
  kind = 'Schema',
): T {
  const followed = new Set<string>();
  let target: object = node;
  while ('$ref' in target) {
    const { $ref } = target as Reference;
    if (followed.has($ref)) throw new DocumentError(node, `${$ref} refers to itself`, '$ref');
    followed.add($ref);
    target = followReference(document, target as Reference, kind);
  }
  return target as T;
}

// Such as `#/components/schemas/Cat`, which may lead to a reference, too.
function followReference(document: object, node: Reference, kind: string): object {
  const { $ref } = node;
  const [, ...encodedKeys] = $ref.split('/');
  const problem = whyUnfollowed($ref);
  if (problem !== undefined) throw new DocumentError(node, `${JSON.stringify($ref)} ${problem}`, '$ref');
  const target = encodedKeys.reduce<object>((parent, encodedKey) => {
    const decoded = tryDecode(encodedKey);
    if (decoded === undefined) {
      throw new DocumentError(node, `${$ref} is not a valid reference: write a literal % as %25`, '$ref');
    }
    const key = fromPointerKey(decoded);
    const child = Object.hasOwn(parent, key) ? (parent as Readonly<Record<string, unknown>>)[key] : undefined;
    if (typeof child !== 'object' || child === null) throw new DocumentError(node, `${$ref} does not exist`, '$ref');
    return child;
  }, document);
  const found = kindAt(encodedKeys.map((key) => fromPointerKey(String(tryDecode(key)))));
  if (!Array.isArray(target) && (found ?? kind) === kind) return target;
  throw new DocumentError(node, `${$ref} is not a ${kind.replace(/\B[A-Z]/g, ' $&')} Object`, '$ref');
}

/**
 * The paths of a document, without extensions such as `x-owner`; empty if it has only webhooks.
 *
 * @example Object.keys(pathsOf(document)) // ['/books', '/books/{id}']
 */
export function pathsOf<S>({ paths = {} }: Partial<Pick<Document<S>, 'paths'>>): Document<S>['paths'] {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith('x-')));
}

/**
 * Follows the reference of a path item, if it is one. Fields beside the reference are added (OpenAPI 3.1, Path Item Object).
 *
 * @throws DocumentError when the reference leads nowhere, or to an item that has the same field
 * @example resolvePathItem(document, { $ref: '#/components/pathItems/Books' })
 */
export function resolvePathItem<S>(document: Document<S>, node: PathItem<S>): PathItem<S> {
  const { $ref, ...fieldsBeside } = node;
  if ($ref === undefined) return node;
  const target = resolveReference<PathItem<S>>(document, node, 'PathItem');
  const repeated = Object.keys(fieldsBeside).find((key) => Object.hasOwn(target, key));
  if (repeated !== undefined) {
    throw new DocumentError(node, `${repeated} is also in ${$ref}: remove one of the two`, '$ref');
  }
  return { ...target, ...fieldsBeside };
}

// A relative URL starts at the address of the document (OpenAPI, Server Object). Any address will do: only the path counts.
const DOCUMENT_ADDRESS = 'http://localhost';

/**
 * The path of the first server, with the defaults of its variables; empty if the URL has no path or is malformed. The servers
 * are those of the first owner that lists any: an operation, its path item, the document.
 *
 * @example toServerPath({ servers: [{ url: 'https://example.com/v1' }] }) // '/v1'
 */
export function toServerPath(...owners: readonly Pick<Document, 'servers'>[]): string {
  const [server] = owners.flatMap(({ servers = [] }) => servers);
  const { url = '', variables = {} } = server ?? {};
  const filledUrl = url.replace(/\{([^{}]*)\}/g, (_all, name: string) => variables[name]?.default ?? '');
  if (!URL.canParse(filledUrl, DOCUMENT_ADDRESS)) return '';
  return decodeUnreserved(new URL(filledUrl, DOCUMENT_ADDRESS).pathname.replace(/\/+$/, ''));
}
