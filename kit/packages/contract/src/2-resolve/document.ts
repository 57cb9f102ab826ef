// Defines types for the parts of an OpenAPI document that the kit reads.
import { fromPointerKey, DocumentError } from '../text/document-error';
import { decodeUnreserved, tryDecode } from '../text/uri';
import { whyUnfollowed } from '../1-parse/parse-yaml';
import type { NormalizedSchema, WrittenSchema } from './schema';
import { kindAt } from './structure';

/** An OpenAPI document before normalization. */
export interface Document<S = WrittenSchema> {
  readonly openapi: string;
  readonly jsonSchemaDialect?: string;
  readonly info: { readonly title: string; readonly version: string | number };
  /** Missing in a document that has only webhooks, so use `pathsOf` instead. */
  readonly paths: Readonly<Record<string, PathItem<S>>>;
  readonly servers?: readonly Server[];
  readonly security?: readonly SecurityRequirement[];
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme | Reference>>;
  } & Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A document that toPlainDocument has rewritten. */
export type NormalizedDocument = Document<NormalizedSchema>;

interface Server {
  /** Missing if the URL was malformed. */
  readonly url?: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

/** A Path Item Object; operationsOf lists its operations. */
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
  readonly responses?: Readonly<Record<string, Response<S> | Reference>>;
  readonly security?: readonly SecurityRequirement[];
}

export interface ParameterObject<S = NormalizedSchema> extends HeaderObject<S> {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}

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
  /** The maximum size of the body, such as `2gb`. */
  readonly 'x-body-limit'?: unknown;
}

export interface Response<S = NormalizedSchema> {
  readonly headers?: Readonly<Record<string, HeaderObject<S> | Reference>>;
  readonly content?: Content<S>;
}

export interface MediaTypeObject<S = NormalizedSchema> {
  readonly schema?: S;
  readonly encoding?: Encodings;
  readonly itemSchema?: S;
  /** Used instead of `itemSchema` before OpenAPI 3.2. */
  readonly 'x-oai-itemSchema'?: S;
  readonly 'x-json-events'?: JsonEvents;
}
/** Media Type Objects or references to them, keyed by media type. */
export type Content<S = NormalizedSchema> = Readonly<Record<string, MediaTypeObject<S> | Reference>>;

/** The `event` values of events with JSON data and with text data. `others` is true if all other events have JSON data. */
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

/** The scopes, keyed by security scheme. A request needs all of the schemes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

const SCHEME_PREFIX = '#/components/securitySchemes/';

/** Returns the name of a security requirement's scheme. In OpenAPI 3.2, the key can also be a reference to the scheme. */
export function toSchemeName(key: string): string {
  return key.startsWith(SCHEME_PREFIX) ? key.slice(SCHEME_PREFIX.length) : key;
}

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

export interface Reference {
  readonly $ref: string;
}

/**
 * Follows a reference, or a chain of references, to an object. If `node` is not a reference, it is returned unchanged.
 *
 * @throws DocumentError if the target is missing (RFC 6901), is another kind of object, or is outside the document
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
  const targetKind = kindAt(encodedKeys.map((key) => fromPointerKey(String(tryDecode(key)))));
  if (!Array.isArray(target) && (targetKind ?? kind) === kind) return target;
  throw new DocumentError(node, `${$ref} is not a ${kind.replace(/\B[A-Z]/g, ' $&')} Object`, '$ref');
}

/**
 * Returns the paths of a document without extensions such as `x-owner`. The result is empty if there are only webhooks.
 *
 * @example Object.keys(pathsOf(document)) // ['/books', '/books/{id}']
 */
export function pathsOf<S>({ paths = {} }: Partial<Pick<Document<S>, 'paths'>>): Document<S>['paths'] {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith('x-')));
}

/**
 * Follows a path item's reference, if it has one, and merges the fields next to the `$ref` (OpenAPI 3.1, Path Item Object).
 *
 * @throws DocumentError if the target is missing, or if it has a field that is also next to the reference
 * @example resolvePathItem(document, { $ref: '#/components/pathItems/Books' })
 */
export function resolvePathItem<S>(document: Document<S>, node: PathItem<S>): PathItem<S> {
  const { $ref, ...siblingFields } = node;
  if ($ref === undefined) return node;
  const target = resolveReference<PathItem<S>>(document, node, 'PathItem');
  const repeatedField = Object.keys(siblingFields).find((key) => Object.hasOwn(target, key));
  if (repeatedField !== undefined) {
    throw new DocumentError(node, `${repeatedField} is also in ${$ref}: remove one of the two`, '$ref');
  }
  return { ...target, ...siblingFields };
}

// Relative server URLs are resolved against the document's address. Any address works, because only the path is used.
const DOCUMENT_ADDRESS = 'http://localhost';

/**
 * Returns the path of the first server, with its variables' defaults; empty if the URL has no path or is malformed.
 *
 * @param owners the operation, its path item and the document, in this order. The first one with servers is used.
 * @example toServerPath({ servers: [{ url: 'https://example.com/v1' }] }) // '/v1'
 */
export function toServerPath(...owners: readonly Pick<Document, 'servers'>[]): string {
  const [server] = owners.flatMap(({ servers = [] }) => servers);
  const { url = '', variables = {} } = server ?? {};
  const filledUrl = url.replace(/\{([^{}]*)\}/g, (_all, name: string) => variables[name]?.default ?? '');
  if (!URL.canParse(filledUrl, DOCUMENT_ADDRESS)) return '';
  return decodeUnreserved(new URL(filledUrl, DOCUMENT_ADDRESS).pathname.replace(/\/+$/, ''));
}
