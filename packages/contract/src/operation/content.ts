// Reads a body of one media type.
import { resolveReference, type Content, type Encodings, type NormalizedDocument } from '../schema/document';
import { mapValues, type NormalizedSchema } from '../schema/schema';
import {
  allowsOnlyScalars,
  isRange,
  isRangeOfJson,
  isXml,
  JSON_TYPE,
  readMediaTypes,
  toMediaKind,
  isJson,
  parseMediaType,
  type MediaKind,
  type MediaType,
} from './media-type';
import { collectInPlaceSchemas, inPlaceSchemasOf, propertySchemas } from '../schema/find-schemas';
import { readNotation, type Notation } from './parameters';

/** One entry of a contract's `content`: a body of one media type. */
export interface Media {
  /** The key of the contract's content. */
  readonly key: string;
  /** The media type as the contract spells it; application/json for a range with a JSON schema (see isRangeOfJson). */
  readonly type: string;
  /** The declared media type or range, parsed. */
  readonly declared: MediaType;
  readonly kind: MediaKind;
  /** The schema that bodies are checked against; ANYTHING where they are not checked. */
  readonly schema: NormalizedSchema;
  /** Whether the schema has rules that are not checked. */
  readonly hasUnchecked: boolean;
  /** The declared parts of a multipart/form-data, by name; undefined for any other body. */
  readonly parts?: ReadonlyMap<string, FormPart> | undefined;
  /** The declared fields of an application/x-www-form-urlencoded; none for any other body. */
  readonly fields: FormFields;
}

/**
 * The schema of a body that is not checked: it allows anything.
 *
 * @example const isChecked = media.schema !== ANYTHING;
 */
export const ANYTHING: NormalizedSchema = {};

// Keywords that add no rule to a schema of bytes or text.
const KEYWORDS_WITHOUT_RULES = new Set(
  'format nullable title description example examples contentMediaType contentEncoding'.split(' '),
);
const APPLICATORS = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Reads the bodies that a request or a reply may have, in the order of the contract.
 *
 * @throws DocumentError when the kit cannot read, write or validate one of them
 * @example for (const { type, kind } of readContent(document, response.content, true)) console.log(type, kind)
 */
export function readContent(document: NormalizedDocument, content: Content, isReply: boolean): Media[] {
  const bodies = Object.entries(content).flatMap(([key, body]) =>
    // One key may list several media types.
    readMediaTypes(content, key).map(([spelled, declared]) =>
      readMedia(document, { ...body, key, spelled, declared }, isReply),
    ),
  );
  // An entry application/json describes JSON better than a range such as */* does.
  const listsJson = bodies.some(({ declared }) => declared.name === JSON_TYPE);
  return listsJson ? bodies.filter(({ type, declared }) => !(type === JSON_TYPE && isRange(declared))) : bodies;
}

type ContentEntry = Content[string] & {
  readonly key: string;
  /** The media type as the key spells it. */
  readonly spelled: string;
  readonly declared: MediaType;
};

// The schema is ANYTHING, without rules, for bytes, XML and other text that is not checked.
function readMedia(document: NormalizedDocument, entry: ContentEntry, isReply: boolean): Media {
  const { key, spelled, declared, schema = ANYTHING, encoding } = entry;
  const resolved = resolveReference(document, schema);
  const kind = toMediaKind(declared, resolved, isReply);
  // A multipart body is checked by a schema that allows anything as a file.
  const form = kind === 'multipart' ? readForm(document, schema, encoding) : undefined;
  const isCheckedText = kind === 'text' && allowsOnlyScalars(resolved) && !isXml(declared);
  const isChecked = kind === 'json' || kind === 'form' || isCheckedText;
  return {
    key,
    type: isRangeOfJson(declared, resolved) ? JSON_TYPE : spelled,
    declared,
    kind,
    schema: form?.schema ?? (isChecked ? schema : ANYTHING),
    hasUnchecked: !isChecked && !form && !hasNoRules(resolved),
    parts: form?.parts,
    fields: kind === 'form' && !isReply ? readFields(document, schema, encoding) : NO_FIELDS,
  };
}

/** Whether any bytes or text match a schema. */
function hasNoRules({ type = 'string', ...otherKeywords }: NormalizedSchema): boolean {
  return type === 'string' && Object.keys(otherKeywords).every((keyword) => KEYWORDS_WITHOUT_RULES.has(keyword));
}

interface FormFields {
  /** The fields for which `encoding` has style, explode or allowReserved: encoded as parameters of a query. */
  readonly styled: readonly (Notation & { readonly name: string })[];
  /** The other fields by name: JSON or text. */
  readonly unstyled: ReadonlyMap<string, FormPart>;
}

const NO_FIELDS: FormFields = { styled: [], unstyled: new Map() };

/**
 * Fields are encoded as parameters of a query where `encodings` has their style, and else as the parts of a
 * multipart/form-data (OpenAPI, Encoding Object). Throws a DocumentError when a value cannot be encoded in its style.
 */
function readFields(document: NormalizedDocument, schema: NormalizedSchema, encodings: Encodings = {}): FormFields {
  const schemasOfForm = collectInPlaceSchemas(document, [schema]);
  const hasStyle = (name: string): boolean => {
    const { style, explode, allowReserved } = encodings[name] ?? {};
    return style !== undefined || explode !== undefined || allowReserved !== undefined;
  };
  const styledNames = Object.keys(encodings).filter(hasStyle);
  const styled = styledNames.flatMap((name) => {
    const schemas = propertySchemas(schemasOfForm, name);
    // An encoding of a field that the schema does not declare has no effect.
    if (schemas.length === 0) return [];
    const parameter = { ...encodings[name], schema: { allOf: schemas } };
    return [{ name, ...readNotation(document, parameter, 'query') }];
  });
  const { parts } = readForm(document, schema, encodings);
  const unstyled = [...parts].filter(([name]) => !hasStyle(name));
  return { styled, unstyled: new Map(unstyled) };
}

/** A part of a form. */
export interface FormPart {
  /** JSON is parsed; files and texts are not. */
  readonly kind: 'file' | 'json' | 'text';
  /** Whether the part may be repeated: each is an item of an array. */
  readonly isList: boolean;
  /** The media types that a file may have; an empty list allows all. */
  readonly types: readonly MediaType[];
}

interface Form {
  /** The schema for the validator, in which a file may be anything. */
  readonly schema: NormalizedSchema;
  readonly parts: ReadonlyMap<string, FormPart>;
}

/** By default bytes are a file, objects are JSON, and an array is one part for each item (OpenAPI, Encoding Object). */
function readForm(document: NormalizedDocument, schema: NormalizedSchema, encodings: Encodings = {}): Form {
  const parts = new Map<string, FormPart>();
  return { schema: readSchema(schema), parts };

  // Adds each property of a schema, its allOf and alternatives to `parts`. Returns a copy in which files may be anything.
  function readSchema(node: NormalizedSchema, enclosing: readonly NormalizedSchema[] = []): NormalizedSchema {
    const schemaOfForm = resolveReference(document, node);
    // A schema inside itself is not read again.
    if (enclosing.includes(schemaOfForm)) return node;
    const readInner = (inner: NormalizedSchema): NormalizedSchema => readSchema(inner, [...enclosing, schemaOfForm]);
    const { properties, ...others } = schemaOfForm;
    const applicators = APPLICATORS.flatMap((keyword) => {
      const inner = others[keyword]?.map(readInner);
      return inner ? [[keyword, inner] as const] : [];
    });
    return {
      ...schemaOfForm,
      ...Object.fromEntries(applicators),
      // Last: in `parts`, they replace those of the same name in allOf and the alternatives.
      ...(properties && { properties: mapValues(properties, (property, name) => readPart(name, property)) }),
    };
  }

  // Adds a property to `parts`, and returns its schema for the validator.
  function readPart(name: string, node: NormalizedSchema): NormalizedSchema {
    const property = resolveReference(document, node);
    const isList = property.type === 'array';
    const item = isList ? resolveReference(document, property.items ?? {}) : property;
    // Such as `image/png, image/jpeg`.
    const contentTypes = (encodings[name]?.contentType ?? '').split(',');
    const types = contentTypes.flatMap((text) => parseMediaType(text.trim()) ?? []);
    const isOfJson =
      types.length > 0 ? types.some(isJson) : isStructured(inPlaceSchemasOf(document, item, APPLICATORS));
    const kind = isFile(item) ? 'file' : isOfJson ? 'json' : 'text';
    parts.set(name, { kind, isList, types });
    if (kind !== 'file') return node;
    return isList ? { ...property, items: ANYTHING } : ANYTHING;
  }
}

/**
 * Whether the values of a schema are bytes: in OpenAPI 3.0 by the format binary, in 3.1 by a media type without an encoding
 * such as base64, which would make them text.
 */
function isFile(
  schema: NormalizedSchema & { readonly contentMediaType?: unknown; readonly contentEncoding?: unknown },
): boolean {
  return schema.format === 'binary' || (schema.contentMediaType !== undefined && schema.contentEncoding === undefined);
}

// An object or an array has no text but JSON, even where it is only one of the alternatives.
function isStructured(parts: readonly NormalizedSchema[]): boolean {
  return parts.some(({ type, properties }) => {
    return type === undefined
      ? properties !== undefined
      : [type].flat().some((name) => name === 'object' || name === 'array');
  });
}
