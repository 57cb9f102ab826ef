import { essenceOf, isJsonType } from '../wire/media-type';
import { framingOf, type Framing } from '../wire/sequence';
import { isJsonList, objectOrEmpty, toText, type Json, type JsonObject } from '../wire/json';
import { extendPointer } from './pointer';
import { membersOf, type ResolvedObject } from './read-contract';
import {
  hasRule,
  propertiesOf,
  readSchema,
  typesOf,
  itemsOf,
  rulesOf,
  isReadOnly,
  additionalOf,
  patternsOf,
  schemaOfMember,
  type Schema,
  type TypeName,
} from './schema';
import type { SchemaObject } from './flatten';
import { unionMembersOf, unionOf, unionTypesOf } from './unions';

/** How a body is serialized. The suite cannot read or write the kind `other`. */
export type ContentKind = 'json' | 'text' | 'form' | 'multipart' | 'bytes' | 'sequence' | 'other';

export interface Content {
  readonly mediaType: string;
  readonly kind: ContentKind;
  readonly pointer: string;
  /** For a sequence, the schema of an array of its items. Has no rules if the contract declares no schema. */
  readonly schema: Schema;
  readonly framing?: Framing | undefined;
  readonly examples: readonly Example[];
  readonly parts: Pick<ReadonlyMap<string, Part>, 'get'>;
  /** The properties of a URL-encoded form that are serialized like query parameters. */
  readonly fields?: ReadonlyMap<string, Field> | undefined;
}

export interface Example {
  readonly name: string;
  readonly pointer: string;
  readonly value: Json;
}

/** Returns the declared contents, those of kind `other` last. */
export function readContents(owner: ResolvedObject): Content[] {
  const contents = membersOf(owner, 'content').map(([mediaType, place]) => readContent(mediaType, place));
  const isOther = ({ kind }: Content): boolean => kind === 'other';
  return [...contents.filter((content) => !isOther(content)), ...contents.filter(isOther)];
}

function readContent(mediaType: string, mediaTypeObject: ResolvedObject): Content {
  const { pointer } = mediaTypeObject;
  const { encoding } = mediaTypeObject.value;
  const schema = readSchema(mediaTypeObject);
  const mediaTypeKind = findContentKind(mediaType);
  const fields = mediaTypeKind === 'form' ? readFields(objectOrEmpty(encoding)) : undefined;
  const isSupported = supportsSchema(mediaTypeKind, schema) && (mediaTypeKind !== 'form' || fields !== undefined);
  const kind = isSupported ? mediaTypeKind : 'other';
  // An example of a sequence can also be its serialized text, which is not a list of items.
  const examples =
    kind === 'bytes'
      ? []
      : readExamples(mediaTypeObject, kind).filter(
          ({ value: exampleValue }) => kind !== 'sequence' || isJsonList(exampleValue),
        );
  const parts = kind === 'multipart' ? readParts(schema, encoding, extendPointer(pointer, 'encoding')) : NO_PARTS;
  const framing = kind === 'sequence' ? framingOf(mediaType) : undefined;
  return { mediaType, kind, pointer, schema, framing, examples, parts, fields };
}

const NO_PARTS: Content['parts'] = new Map();

function findContentKind(mediaType: string): ContentKind {
  const essence = essenceOf(mediaType);
  if (isJsonType(essence)) return 'json';
  if (framingOf(essence)) return 'sequence';
  const kinds: Readonly<Record<string, ContentKind>> = {
    'text/plain': 'text',
    'text/csv': 'text',
    'text/html': 'text',
    'text/markdown': 'text',
    'application/x-www-form-urlencoded': 'form',
    'multipart/form-data': 'multipart',
  };
  // No schema describes the format of any other type, such as PNG.
  return kinds[essence] ?? (/^application\/(?:.+\+)?octet-stream$/.test(essence) ? 'bytes' : 'other');
}

function supportsSchema(kind: ContentKind, schema: Schema): boolean {
  switch (kind) {
    case 'text':
      return isOnlyOfType(schema, 'string');
    case 'form':
      return isFormSchema(schema);
    case 'multipart':
      return (isFormSchema(schema) || isMap(schema)) && unionOf(schema) === undefined;
    case 'bytes':
      return allowsAllBytes(schema);
    // Before OpenAPI 3.2, the schema of a sequence could also describe its text.
    case 'sequence':
      return typesOf(schema).has('array');
    case 'json':
    case 'other':
      return true;
  }
}

function isFormSchema(schema: Schema): boolean {
  return isOnlyOfType(schema, 'object') && propertiesOf(schema).size > 0;
}

// Whether the schema describes an object without fixed property names.
function isMap(schema: Schema): boolean {
  const hasSchema = typeof additionalOf(schema) === 'object' || patternsOf(schema).length > 0;
  return hasSchema && isOnlyOfType(schema, 'object');
}

function isOnlyOfType(schema: Schema, type: TypeName): boolean {
  return [...typesOf(schema)].join() === type;
}

const ANNOTATIONS = ['title', 'description'];

export function allowsAllBytes({ schemaObjects }: Schema): boolean {
  return schemaObjects.every(({ keywords: { type = 'string', format = 'binary', ...rest } }) => {
    const hasRules = Object.keys(rest).some((keyword) => !ANNOTATIONS.includes(keyword));
    return type === 'string' && format === 'binary' && !hasRules;
  });
}

// Skips examples without a value, such as those with `externalValue`. For the kind `other`, uses the serialized value.
export function readExamples(owner: ResolvedObject, kind: ContentKind): Example[] {
  const namedExamples = membersOf(owner, 'examples').flatMap(([name, { value: example, pointer }]): Example[] => {
    const { dataValue, serializedValue, value = kind === 'other' ? serializedValue : dataValue } = example;
    return value === undefined ? [] : [{ name, pointer, value }];
  });
  const { example: value } = owner.value;
  if (value === undefined) return namedExamples;
  return [{ name: 'example', pointer: extendPointer(owner.pointer, 'example'), value }, ...namedExamples];
}

export function findJsonContent(contents: readonly Content[]): Content | undefined {
  return contents.find(({ kind }) => kind === 'json');
}

/** How a property of a URL-encoded form is serialized (OpenAPI, Encoding Object). */
export interface Field {
  readonly style: string;
  readonly isExploded: boolean;
}

/** Returns undefined if a property has an encoding that the suite cannot write, such as a media type. */
function readFields(encodings: JsonObject): ReadonlyMap<string, Field> | undefined {
  const fields = Object.entries(encodings).map(([name, encoding]): [string, Field] | undefined => {
    const { style = 'form', explode = style === 'form', ...otherEncoding } = objectOrEmpty(encoding);
    return Object.keys(otherEncoding).length === 0
      ? [name, { style: toText(style), isExploded: explode === true }]
      : undefined;
  });
  const writableFields = fields.filter((field) => field !== undefined);
  return writableFields.length === fields.length ? new Map(writableFields) : undefined;
}

export interface Part {
  readonly schema: Schema;
  /** Files and text are sent unchanged, other values as JSON. */
  readonly kind: 'file' | 'json' | 'text';
  /** Whether each item of the value is sent as a separate part. */
  readonly isList: boolean;
  readonly mediaTypes: readonly string[];
  readonly pointer: string;
}

const FILE_TYPES = /^(?:image|audio|video)\/|^application\/(?:octet-stream|pdf|zip)$/;
const NESTED_TYPES: ReadonlySet<TypeName> = new Set(['object', 'array']);

/** Skips properties that have a style, or that OpenAPI does not clearly serialize as bytes, JSON or text. */
function readParts(schema: Schema, encodings: Json | undefined, pointer: string): Content['parts'] {
  const parts = new Map<string, Part | undefined>();
  return {
    get: (name) => {
      if (!parts.has(name)) parts.set(name, readPart(name));
      return parts.get(name);
    },
  };

  function readPart(name: string): Part | undefined {
    const property = schemaOfMember(schema, name);
    if (typeof property !== 'object' || isReadOnly(property)) return undefined;
    const { contentType, ...styles } = objectOrEmpty(objectOrEmpty(encodings)[name]);
    const { style = 'form', explode = style === 'form' } = styles;
    const isStyled = 'style' in styles || 'explode' in styles || 'allowReserved' in styles;
    const mediaTypes = listMediaTypes(toText(contentType ?? ''));
    // Null cannot be sent as a file or as text.
    const members = unionMembersOf(property).filter(isNotNull);
    const isList = members.every((member) => sentTypesOf(member).join() === 'array');
    const kinds = new Set(
      members.map((member) => {
        const partSchema = isList ? itemsOf(member) : member;
        return partSchema && kindOfPart(partSchema, mediaTypes);
      }),
    );
    // A server can tell a file from text by its file name.
    if (kinds.has('file')) kinds.delete('text');
    const [kind, otherKind] = kinds;
    // The default style does not change text, and before OpenAPI 3.1, styles do not apply to parts.
    const isWithoutStyle = !isStyled || !schema.contract.dialect.hasSiblings || kind === 'file';
    return kind && !otherKind && (isWithoutStyle || (kind === 'text' && style === 'form' && explode === true))
      ? { schema: property, kind, isList, mediaTypes, pointer: extendPointer(pointer, name) }
      : undefined;
  }
}

function isNotNull(schema: Schema): boolean {
  return [...typesOf(schema)].join() !== 'null';
}

function sentTypesOf(schema: Schema): TypeName[] {
  return [...unionTypesOf(schema)].filter((type) => type !== 'null');
}

function listMediaTypes(list: string): string[] {
  return list
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
}

// Returns undefined if OpenAPI does not define the serialization.
function kindOfPart(schema: Schema, mediaTypes: readonly string[]): Part['kind'] | undefined {
  if (unionMembersOf(schema).filter(isNotNull).every(isFile)) return 'file';
  if (mediaTypes.some((type) => isJsonType(essenceOf(type)))) return 'json';
  if (mediaTypes.length === 0 && allowsAnyValue(schema)) return 'file';
  const valueTypes = sentTypesOf(schema);
  // Without a media type, objects and arrays are sent as JSON, and other values as text (OpenAPI, Encoding Object).
  if (mediaTypes.length === 0 && valueTypes.every((type) => NESTED_TYPES.has(type))) return 'json';
  // A string is sent as one of the declared media types. It is a file unless that type is text.
  const isBytes = mediaTypes.length > 0 && mediaTypes.every((type) => FILE_TYPES.test(essenceOf(type)));
  if (isBytes && valueTypes.includes('string')) return 'file';
  const isPlain = mediaTypes.every((type) => essenceOf(type) === 'text/plain');
  return isPlain && !valueTypes.some((type) => NESTED_TYPES.has(type)) ? 'text' : undefined;
}

// OpenAPI 3.1, Encoding Object: application/octet-stream is the default for a schema without a type.
function allowsAnyValue({ contract, schemaObjects }: Schema): boolean {
  const hasNoRules = ({ keywords }: SchemaObject): boolean =>
    Object.keys(keywords).every((keyword) => ANNOTATIONS.includes(keyword));
  return contract.dialect.hasSiblings && schemaObjects.every(hasNoRules);
}

// Encodings that do not change the bytes (RFC 2045 section 6.2).
const IDENTITY_ENCODINGS: readonly Json[] = ['7bit', '8bit', 'binary'];

// OpenAPI 3.0 declares bytes by `format: binary`, and 3.1 by `contentMediaType` without an encoding.
function isFile(schema: Schema): boolean {
  const hasMediaType = rulesOf(schema, 'contentMediaType').length > 0;
  const isUnencoded = rulesOf(schema, 'contentEncoding').every(({ value }) => IDENTITY_ENCODINGS.includes(value));
  return hasRule(schema, 'format', 'binary') || (hasMediaType && isUnencoded);
}
