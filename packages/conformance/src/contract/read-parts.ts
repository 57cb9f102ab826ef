// Reads the parts of a multipart/form-data that a contract declares.
import { isJsonObject, objectOrEmpty, toText, type Json } from '../wire/json';
import { isJsonType, essenceOf } from './media-type';
import { extendPointer } from './pointer';
import { allBranchesOf, itemsOf, rulesOf, sentProperties, typesOf, type Schema, type TypeName } from './schema';

/** A part of a multipart/form-data that a property of its schema describes. */
export interface Part {
  /** Files and texts are sent as they are, other values as JSON. */
  readonly kind: 'file' | 'json' | 'text';
  /** Whether each item of the value is a part of its own. */
  readonly isList: boolean;
  /** The media types that `encoding` lists, if any. */
  readonly types: readonly string[];
  /** Of the Encoding Object. */
  readonly pointer: string;
}

const NESTED: ReadonlySet<TypeName> = new Set(['object', 'array']);

/**
 * Reads how the parts of a form are written (OpenAPI, Encoding Object). Leaves out properties for which OpenAPI does
 * not say whether they are bytes, JSON or text.
 */
export function readParts(schema: Schema, encodings: Json | undefined, pointer: string): Map<string, Part> {
  const all = objectOrEmpty(encodings);
  return new Map(
    [...sentProperties(schema)].flatMap(([name, property]) => {
      const own = all[name];
      const listed = isJsonObject(own) ? toText(own['contentType'] ?? '') : '';
      const types = listed.split(',').flatMap((type) => (type.trim() === '' ? [] : [type.trim()]));
      const isList = [...typesOf(property)].join() === 'array';
      const item = isList ? itemsOf(property) : property;
      const kind = item && kindOf(item, types);
      return kind ? [[name, { kind, isList, types, pointer: extendPointer(pointer, name) }] as const] : [];
    }),
  );
}

// Undefined when OpenAPI does not say how the part is written.
function kindOf(item: Schema, types: readonly string[]): Part['kind'] | undefined {
  if (isFile(item)) return 'file';
  if (types.some((type) => isJsonType(essenceOf(type)))) return 'json';
  const own = new Set(allBranchesOf(item).flatMap((branch) => [...typesOf(branch)]));
  const isNested = [...own].map((type) => NESTED.has(type));
  if (types.length === 0 && isNested.every(Boolean)) return 'json';
  const isPlain = types.every((type) => essenceOf(type) === 'text/plain');
  return isPlain && !isNested.includes(true) ? 'text' : undefined;
}

// OpenAPI 3.0 has `format: binary`, 3.1 `contentMediaType` without an encoding.
function isFile(schema: Schema): boolean {
  const isBinary = rulesOf(schema, 'format').some(({ value }) => value === 'binary');
  const isMedia = rulesOf(schema, 'contentMediaType').length > 0 && rulesOf(schema, 'contentEncoding').length === 0;
  return isBinary || isMedia;
}
