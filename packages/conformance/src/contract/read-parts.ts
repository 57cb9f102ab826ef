// Reads the parts of a multipart/form-data that a contract declares.
import { objectOrEmpty, toText, type Json } from '../wire/json';
import { isJsonType, essenceOf } from './media-type';
import { extendPointer } from './pointer';
import { allBranchesOf, itemsOf, rulesOf, sentProperties, typesOf, type Schema, type TypeName } from './schema';

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

/** The parts by property, without those for which OpenAPI does not say whether they are bytes, JSON or text. */
export function readParts(schema: Schema, encodings: Json | undefined, pointer: string): Map<string, Part> {
  const parts = [...sentProperties(schema)].flatMap(([name, property]): [string, Part][] => {
    const { contentType } = objectOrEmpty(objectOrEmpty(encodings)[name]);
    const types = listMediaTypes(toText(contentType ?? ''));
    const isList = [...typesOf(property)].join() === 'array';
    const partSchema = isList ? itemsOf(property) : property;
    const kind = partSchema && kindOfPart(partSchema, types);
    return kind ? [[name, { kind, isList, types, pointer: extendPointer(pointer, name) }]] : [];
  });
  return new Map(parts);
}

function listMediaTypes(list: string): string[] {
  return list
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
}

// Undefined when OpenAPI does not say: for another media type, or when a value may be both nested and plain.
function kindOfPart(schema: Schema, mediaTypes: readonly string[]): Part['kind'] | undefined {
  if (isFile(schema)) return 'file';
  if (mediaTypes.some((type) => isJsonType(essenceOf(type)))) return 'json';
  const valueTypes = [...new Set(allBranchesOf(schema).flatMap((branch) => [...typesOf(branch)]))];
  // Without a media type, OpenAPI takes JSON for objects and arrays, and text for other values.
  if (mediaTypes.length === 0 && valueTypes.every((type) => NESTED.has(type))) return 'json';
  const isPlain = mediaTypes.every((type) => essenceOf(type) === 'text/plain');
  return isPlain && !valueTypes.some((type) => NESTED.has(type)) ? 'text' : undefined;
}

// Whether values are bytes: OpenAPI 3.0 has `format: binary` for that, 3.1 `contentMediaType` without an encoding.
function isFile(schema: Schema): boolean {
  const isBinary = rulesOf(schema, 'format').some(({ value }) => value === 'binary');
  const hasMediaType = rulesOf(schema, 'contentMediaType').length > 0;
  return isBinary || (hasMediaType && rulesOf(schema, 'contentEncoding').length === 0);
}
