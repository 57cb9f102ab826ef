// Finds out how to parse the fields of a form: by style, or as files, JSON or text.
import { resolveReference, type Encodings, type NormalizedDocument } from '../2-resolve/document';
import { additionalSchemas, collectInPlaceSchemas, patternSchemas, propertySchemas } from '../2-resolve/find-schemas';
import {
  isObjectOrArray,
  isOpenApi30,
  mapSchemas,
  mapValues,
  toRegExp,
  type NormalizedSchema,
} from '../2-resolve/schema';
import { DocumentError } from '../text/document-error';
import { isJson, isText, parseMediaType, splitMediaTypes, type MediaType } from './media-type';
import { assertClearTexts, readNotation, type Notation } from './parameters';
import {
  ANY,
  combineKinds,
  intersectKinds,
  isBytes,
  NO_KINDS,
  readItemKinds,
  readValueKinds,
  type ValueKind,
  type ValueKinds,
} from '../4-shape/value-kinds';

/** The ways to parse a part, which never include both JSON and text. */
export type PartKinds = ReadonlySet<'file' | 'json' | 'text'>;

export interface FormPart {
  /** How to parse a part that is the whole value; undefined if the value is always an array. */
  readonly value: PartKinds | undefined;
  /** How to parse a part that is one item of an array; undefined if the value is never an array. */
  readonly item: PartKinds | undefined;
  /** The allowed media types of a file. An empty list allows all of them. */
  readonly types: readonly MediaType[];
}

/** How to parse a form. */
export interface Form extends FormParts {
  /** Fields that are serialized like query parameters, because their encoding has a style, explode or allowReserved. */
  readonly styled: readonly (Notation & { readonly name: string })[];
  /** The schema for the validator, with FILE in place of files. */
  readonly schema: NormalizedSchema;
  /** The errors about fields that have no effect in the encodings. */
  readonly unused: readonly DocumentError[];
}

/** The fields without a style, found by name, by the first matching pattern, or else in `others`. */
export interface FormParts {
  readonly named: ReadonlyMap<string, FormPart>;
  readonly patterns: readonly { readonly pattern: RegExp; readonly part: FormPart }[];
  readonly others: FormPart | undefined;
}

/** Finds a field by its name; undefined if no schema describes it. @example findPart(media.form, 'photo')?.types */
export function findPart({ named, patterns, others }: FormParts, name: string): FormPart | undefined {
  return named.get(name) ?? patterns.find(({ pattern }) => pattern.test(name))?.part ?? others;
}

/**
 * The schema of a file, which the validator sees as an empty object. Test for it with `===`.
 *
 * @example const isFile = schema === FILE;
 */
export const FILE: NormalizedSchema = Object.freeze({ type: 'object', maxProperties: 0 });

const NON_TEXT_KINDS: ValueKinds = new Set(['file', 'null'] as const);
const NEVER: NormalizedSchema = { not: {} };
const APPLICATORS = ['allOf', 'anyOf', 'oneOf'] as const;
const FORM_APPLICATORS = [...APPLICATORS, 'then', 'else', 'dependentSchemas'] as const;

/**
 * Reads the schema and encodings of a form. By default, bytes are a file, objects are JSON, other types are text, a value
 * without a type is a file or text, and an array has one part per item (OpenAPI, Encoding Object).
 *
 * @throws DocumentError if a field's schema does not determine how to parse it
 */
export function readForm(
  document: NormalizedDocument,
  form: NormalizedSchema,
  isMultipart: boolean,
  encodings: Encodings = {},
): Form {
  const schemasOfForm = collectInPlaceSchemas(document, [form]);
  const styledEntries = Object.entries(encodings).filter(([name]) => isStyled(name));
  const styled = styledEntries.map(([name, encoding]) => {
    const schema = { allOf: propertySchemas(schemasOfForm, name) };
    return { name, ...readNotation(document, { ...encoding, schema }, 'query', encoding) };
  });
  const namesIn = (keyword: 'properties' | 'patternProperties'): string[] => [
    ...new Set(schemasOfForm.flatMap((schema) => Object.keys(schema[keyword] ?? {}))),
  ];
  const unstyledNames = namesIn('properties').filter((name) => styled.every((field) => field.name !== name));
  const named = unstyledNames.map((name) => {
    return [name, readPart((schemas) => propertySchemas(schemas, name), readTypes(encodings, name))] as const;
  });
  const patterns = namesIn('patternProperties').map((name) => {
    return { pattern: toRegExp(name), part: readPart((schemas) => patternSchemas(schemas, name), []) };
  });
  const others = findOthers(schemasOfForm).length > 0 ? readPart(findOthers, []) : undefined;
  const parts: FormParts = { named: new Map(named), patterns, others };
  const hasFiles = [...parts.named.values(), ...patterns.map(({ part }) => part), others].some(mayHaveFiles);
  const schema = isMultipart && hasFiles ? replaceInForm(document, parts, form) : form;
  return { ...parts, styled, schema, unused: findUnused(encodings, styled, parts) };

  // In multipart/form-data, OpenAPI 3.0 ignores styles. Files have no style, and scalars only the style `form`.
  function isStyled(name: string): boolean {
    const { style, explode, allowReserved } = encodings[name] ?? {};
    const [nodes, values, items] = readKinds((schemas) => propertySchemas(schemas, name));
    if ((style ?? explode ?? allowReserved) === undefined || nodes.length === 0) return false;
    if (!isMultipart || isOpenApi30(document.openapi)) return !isMultipart;
    const mayBeFile = [values, items].some((kinds) => kinds.has('file') || kinds.has('any'));
    return !mayBeFile && (values.has('array') || values.has('object') || !/Delimited$|^deepObject$/.test(style ?? ''));
  }

  function readKinds(find: typeof findOthers) {
    const nodes = find(schemasOfForm);
    // This throws if a schema applies itself to the same value.
    collectInPlaceSchemas(document, nodes);
    const combine = (read: typeof readValueKinds): ValueKinds =>
      combineKinds(document, form, FORM_APPLICATORS, (schema) =>
        find([schema]).reduce((kinds, fieldSchema) => intersectKinds(kinds, read(document, fieldSchema)), NO_KINDS),
      );
    return [nodes, combine(readValueKinds), combine(readItemKinds)] as const;
  }

  function readPart(find: typeof findOthers, types: readonly MediaType[]): FormPart {
    const [nodes, values, items] = readKinds(find);
    const node = Object(nodes[0]) as object;
    const part = toPart(node, values, items, types);
    if ([part.value, part.item].some((kinds) => kinds?.has('text'))) assertClearTexts(document, node, nodes);
    return part;
  }
}

const STYLE_REASON = 'in multipart/form-data on a file, on a scalar unless the style is form, and before OpenAPI 3.1';
const REASONS: Readonly<Record<string, string>> = {
  contentType: 'beside style, explode or allowReserved',
  headers: 'on a form, because the server does not check the headers of parts, and a handler does not get them',
};

function findUnused(encodings: Encodings, styled: Form['styled'], { named }: FormParts): DocumentError[] {
  return Object.entries(encodings).flatMap(([name, encoding]) => {
    const isStyled = styled.some((field) => field.name === name);
    const noProperty = `${name} has no effect, because the form has no such property`;
    if (!isStyled && !named.has(name)) return [new DocumentError(encodings, noProperty, name)];
    return ['headers', ...(isStyled ? ['contentType'] : ['style', 'explode', 'allowReserved'])]
      .filter((field) => Object.hasOwn(encoding, field))
      .map((field) => new DocumentError(encoding, `${field} has no effect ${REASONS[field] ?? STYLE_REASON}`, field));
  });
}

function findOthers(schemas: readonly NormalizedSchema[]): NormalizedSchema[] {
  return schemas.flatMap((schema) => (schema.additionalProperties === true ? [{}] : additionalSchemas([schema])));
}

function readTypes(encodings: Encodings, name: string): MediaType[] {
  const texts = splitMediaTypes(encodings[name]?.contentType ?? '').filter(Boolean);
  return texts.map((text) => {
    const type = parseMediaType(text);
    if (type) return type;
    throw new DocumentError(Object(encodings[name]) as object, `${text} is not a media type`, 'contentType');
  });
}

/** @throws DocumentError at `node` if the kinds do not determine how to parse the part */
function toPart(node: object, values: ValueKinds, declaredItems: ValueKinds, types: readonly MediaType[]): FormPart {
  const items = declaredItems.size > 0 ? declaredItems : ANY;
  const scalars: ValueKinds = new Set([...values].filter((kind) => kind !== 'array' && kind !== 'null'));
  // With an empty schema, an encoding that has a media type stands for one file (OpenAPI, example in Encoding Object).
  const isRepeatable = values.has('array') || (values.has('any') && types.length === 0);
  const value = scalars.size > 0 || !isRepeatable ? toPartKinds(node, scalars, types) : undefined;
  const item = isRepeatable ? toPartKinds(node, items, types) : undefined;
  if (!value || !item) return { value, item, types };
  // A single part can be the whole value or the only item. JSON shows which one it is, but text does not.
  const isJsonPart = value.has('json') || item.has('json');
  const isAnyText = scalars.has('any') || scalars.has('string');
  const isScalar = (kind: ValueKind): boolean => scalars.has(kind) || (kind === 'integer' && scalars.has('number'));
  const isDecided = isAnyText || [...items].every((kind) => isScalar(kind) || NON_TEXT_KINDS.has(kind));
  if (!isJsonPart && item.has('text') && value.has('text') && !isDecided) {
    throw new DocumentError(
      node,
      'a part of a form does not tell an array of one from a single value here: allow only one of them, or the same types',
    );
  }
  return isJsonPart ? { value: toJson(value), item: toJson(item), types } : { value, item, types };
}

function toJson(kinds: PartKinds): PartKinds {
  return new Set([...kinds].map((kind) => (kind === 'text' ? 'json' : kind)));
}

function toPartKinds(node: object, kinds: ValueKinds, types: readonly MediaType[]): PartKinds {
  const partKinds = new Set<'file' | 'json' | 'text'>();
  const hasJson = types.length === 0 || types.some(isJson);
  for (const kind of kinds) {
    if (kind === 'file') partKinds.add('file');
    // Objects and nested arrays can only be sent as JSON.
    else if (kind === 'object' || kind === 'array') {
      if (hasJson) partKinds.add('json');
    } else if (kind === 'string' || kind === 'any') {
      for (const type of types) partKinds.add(isJson(type) ? 'json' : isText(type) ? 'text' : 'file');
      if (types.length === 0) partKinds.add('text');
      if (kind === 'any' && !types.some(isJson)) partKinds.add('file');
    } else if (kind !== 'null') partKinds.add(types.some(isJson) ? 'json' : 'text');
  }
  if (partKinds.size === 0 && (kinds.has('object') || kinds.has('array'))) {
    const names = types.map(({ name }) => name).join(', ');
    throw new DocumentError(node, `its encoding has the type ${names}, but an object can only be sent as JSON`);
  }
  // If one alternative is JSON, strings must be sent as JSON, too.
  if (partKinds.has('json')) partKinds.delete('text');
  return partKinds.size > 0 ? partKinds : new Set(['text']);
}

function mayHaveFiles(part: FormPart | undefined): boolean {
  return part?.value?.has('file') === true || part?.item?.has('file') === true;
}

function replaceInForm(document: NormalizedDocument, parts: FormParts, node: NormalizedSchema): NormalizedSchema {
  const schema = resolveReference(document, node);
  const replaced = FORM_APPLICATORS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => {
    return [
      keyword,
      mapSchemas(keyword, schema[keyword], (child) => replaceInForm(document, parts, child as NormalizedSchema)),
    ] as const;
  });
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const replaceOthers = (child: NormalizedSchema): NormalizedSchema => replaceFiles(document, child, parts.others);
  return {
    ...schema,
    ...Object.fromEntries(replaced),
    ...(properties && {
      properties: mapValues(properties, (property, name) => replaceFiles(document, property, parts.named.get(name))),
    }),
    ...(patternProperties && {
      patternProperties: mapValues(patternProperties, (property, name) =>
        replaceFiles(
          document,
          property,
          parts.patterns.find(({ pattern }) => pattern.source === toRegExp(name).source)?.part,
        ),
      ),
    }),
    ...(isObjectOrArray(additionalProperties) && { additionalProperties: replaceOthers(additionalProperties) }),
    ...(isObjectOrArray(unevaluatedProperties) && { unevaluatedProperties: replaceOthers(unevaluatedProperties) }),
  };
}

function replaceFiles(
  document: NormalizedDocument,
  node: NormalizedSchema,
  part: FormPart | undefined,
): NormalizedSchema {
  if (!part || !mayHaveFiles(part)) return node;
  if (!part.item && part.value?.size === 1) return FILE;
  const values = readValueKinds(document, node);
  if (values.has('any')) return node;
  // `part` is for all alternatives of the form together, so the kinds of this schema alone can differ.
  const { value, item } = toPart(node, values, readItemKinds(document, node), part.types);
  const nonFileSchema = withoutFiles(document, node, { value, item, types: part.types });
  if (!value?.has('file')) return nonFileSchema;
  return nonFileSchema === NEVER ? FILE : { anyOf: [FILE, nonFileSchema] };
}

// Returns a copy that does not match a file, but can still match an array of files.
function withoutFiles(document: NormalizedDocument, node: NormalizedSchema, part: FormPart): NormalizedSchema {
  const schema = resolveReference(document, node);
  const { value, item, types } = part;
  const isFileOnly = !value || (value.has('file') && value.size === 1);
  const allowed = [schema.type ?? []].flat().filter((type) => !(type === 'string' && (isFileOnly || isBytes(schema))));
  if (allowed.length === 0 && (schema.type !== undefined || isBytes(schema))) return NEVER;
  const toItem = (itemSchema: NormalizedSchema): NormalizedSchema =>
    replaceFiles(document, itemSchema, { value: item, item: undefined, types });
  const replaced = APPLICATORS.flatMap((keyword) => {
    const inner = schema[keyword]?.map((child) => withoutFiles(document, child, part));
    return inner ? [[keyword, inner.filter((child) => child !== NEVER), inner.includes(NEVER)] as const] : [];
  });
  if (replaced.some(([keyword, left, isLess]) => (keyword === 'allOf' ? isLess : left.length === 0))) return NEVER;
  return {
    ...schema,
    ...(allowed.length > 0 && { type: allowed }),
    ...(item && schema.items && { items: toItem(schema.items) }),
    ...(item && schema.prefixItems && { prefixItems: schema.prefixItems.map(toItem) }),
    ...Object.fromEntries(replaced.map(([keyword, left]) => [keyword, left])),
  };
}
