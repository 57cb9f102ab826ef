// Reads the declared parts of a multipart/form-data.
import { resolveReference, type Content, type Document, type Schema } from '../document/document';
import { isJson, parseMediaType, type MediaType } from './media-type';

/** A declared part of a multipart/form-data. */
export interface FormPart {
  /** JSON is parsed; files and texts are not. */
  readonly kind: 'file' | 'json' | 'text';
  /** Whether the part may be repeated: each is an item of an array. */
  readonly isList: boolean;
  /** The media types that a file may have; all if there are none. */
  readonly types: readonly MediaType[];
}

/** A form with parts. */
export interface Form {
  /** The schema for the validator, in which a file may be anything. */
  readonly schema: Schema;
  readonly parts: ReadonlyMap<string, FormPart>;
}

const FILE: Schema = {};

/**
 * Reads how the parts of a multipart/form-data are encoded (OpenAPI, Encoding Object). By default bytes are a file, objects
 * are JSON, and an array is one part for each item; `encoding` may set another media type.
 */
export function readForm(document: Document, schema: Schema, encodings: Content[string]['encoding'] = {}): Form {
  const parts = new Map<string, FormPart>();
  return { schema: copyWithoutFiles(schema), parts };

  // Copies the schema, and adds each of its properties to `parts`. A schema inside itself is not copied again.
  function copyWithoutFiles(node: Schema, above: readonly Schema[] = []): Schema {
    const resolved = resolveReference(document, node);
    if (above.includes(resolved)) return node;
    const copyAll = (all: readonly Schema[]): Schema[] => all.map((one) => copyWithoutFiles(one, [...above, resolved]));
    const { allOf, anyOf, oneOf, properties } = resolved;
    return {
      ...resolved,
      ...(allOf && { allOf: copyAll(allOf) }),
      ...(anyOf && { anyOf: copyAll(anyOf) }),
      ...(oneOf && { oneOf: copyAll(oneOf) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, readPart(name, one)])),
      }),
    };
  }

  // Adds a property to `parts`, and returns its schema for the validator.
  function readPart(name: string, node: Schema): Schema {
    const schema = resolveReference(document, node);
    const isList = schema.type === 'array';
    const item = isList ? resolveReference(document, schema.items ?? {}) : schema;
    const types = (encodings[name]?.contentType ?? '').split(',').flatMap((text) => parseMediaType(text.trim()) ?? []);
    const isOfJson = types.some(isJson) || (types.length === 0 && isStructured(document, item));
    const kind = isFile(item) ? 'file' : isOfJson ? 'json' : 'text';
    parts.set(name, { kind, isList, types });
    if (kind !== 'file') return node;
    return isList ? { ...schema, items: FILE } : FILE;
  }
}

/**
 * Whether the values of a schema are bytes: in 3.0 by their format, in 3.1 by their media type alone.
 *
 * @example isFile({ type: 'string', format: 'binary' }) // true
 */
export function isFile(
  schema: Schema & { readonly contentMediaType?: unknown; readonly contentEncoding?: unknown },
): boolean {
  return schema.format === 'binary' || (schema.contentMediaType !== undefined && schema.contentEncoding === undefined);
}

// An object or an array has no text but JSON, even where it is only one of the alternatives.
function isStructured(document: Document, node: Schema, above: readonly Schema[] = []): boolean {
  const schema = resolveReference(document, node);
  // partsOf reports a schema that is a part of itself.
  if (above.includes(schema)) return false;
  const { type, properties, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (type !== undefined) return [type].flat().some((one) => one === 'object' || one === 'array');
  const isPartStructured = (part: Schema): boolean => isStructured(document, part, [...above, schema]);
  return properties !== undefined || [...allOf, ...anyOf, ...oneOf].some(isPartStructured);
}
