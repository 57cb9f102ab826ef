// Reads the itemSchema of media types. If a contentSchema describes JSON in the `data` of a server-sent event, the event's
// schema is rewritten, because handlers get the parsed value.
import { copyExactValues, isData, isMapByName } from '../1-parse/parse-yaml';
import { DocumentError, DocumentErrors } from '../text/document-error';
import { resolveReference, type Document, type MediaTypeObject } from '../2-resolve/document';
import { inPlaceSchemasOf } from '../2-resolve/find-schemas';
import { isObjectOrArray, isOpenApi32, omitKeywords, type WrittenSchema } from '../2-resolve/schema';
import { discriminatorValuesOf, propertiesNamed } from './discriminator';

type Media = MediaTypeObject<WrittenSchema>;

const EVENT_STREAM_TYPE = /^\s*text\/event-stream\s*(?:;|$)/i;
const JSON_TYPE = /^\s*application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i;

/**
 * Prepares the media types of a document in place. Before OpenAPI 3.2, `x-oai-itemSchema` is used instead of `itemSchema`
 * (https://spec.openapis.org/registry/extension/).
 */
export function readItemSchemas(document: Document): readonly DocumentError[] {
  const errors = new DocumentErrors(true);
  const supportsItemSchema = isOpenApi32(document.openapi);
  for (const content of new Set(findContents(document))) {
    for (const [key, node] of Object.entries(content)) {
      const media = errors.attempt(() => resolveReference<Media>(document, node, 'MediaType'));
      if (!media || !('itemSchema' in media || 'x-oai-itemSchema' in media)) continue;
      const { itemSchema, 'x-oai-itemSchema': extension, ...otherFields } = media;
      const schema = supportsItemSchema ? itemSchema : extension;
      const areEvents = EVENT_STREAM_TYPE.test(key) && isObjectOrArray(schema);
      const read = areEvents ? errors.attempt(() => readEvents(document, schema, content, key)) : undefined;
      content[key] = { ...otherFields, ...(schema !== undefined && { itemSchema: schema }), ...read };
    }
  }
  return errors.all;
}

// Schemas and unregistered extensions are skipped, because they contain no media types.
const SKIPPED_KEYS = /^(?:x-(?!oai-)|schemas?$)/;

function* findContents(node: object, isNameMap = false): Generator<Record<string, Media>> {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!isObjectOrArray(child) || (!isNameMap && (SKIPPED_KEYS.test(key) || isData(key, child)))) continue;
    if (key === 'content' && !isNameMap) yield child as Record<string, Media>;
    yield* findContents(child, !isNameMap && isMapByName(key, child));
  }
}

type Names = readonly unknown[] | undefined;
type ItemSchemas = Pick<Media, 'itemSchema' | 'x-json-events'>;

/** @throws DocumentError if the data of an event can be either text or JSON */
function readEvents(document: Document, event: WrittenSchema, content: object, key: string): ItemSchemas {
  const kinds: { readonly names: Names; readonly isJson: boolean }[] = [];
  const itemSchema = rewrite(event, [], undefined);
  const listNamesWithData = (isJson: boolean): unknown[] =>
    kinds.flatMap((kind) => (kind.isJson === isJson ? (kind.names ?? []) : []));
  const [json, text] = [listNamesWithData(true), listNamesWithData(false)];
  const unnamedJsonFlags = new Set(kinds.filter(({ names }) => !names).map(({ isJson }) => isJson));
  if (unnamedJsonFlags.size > 1 || json.some((name) => text.includes(name)))
    throw new DocumentError(
      content,
      'the data of an event may be text or JSON: give the alternatives different values of event, each as a const',
      key,
    );
  return { itemSchema, 'x-json-events': { json, text, others: unnamedJsonFlags.has(true) } };

  /** `texts` are the outer schemas for `data` that is text, and `names` the outer values of `event`. */
  function rewrite(node: WrittenSchema, texts: readonly WrittenSchema[], names: Names): WrittenSchema {
    const inPlaceSchemas = inPlaceSchemasOf(document, node, ['allOf']);
    const data = inPlaceSchemas.flatMap(({ properties }) => properties?.['data'] ?? []).filter(isObjectOrArray);
    const listedNames = propertiesNamed(document, inPlaceSchemas, 'event').flatMap(({ const: value, enum: values }) =>
      value === undefined ? (values ?? []) : [value],
    );
    const eventNames = listedNames.length > 0 ? listedNames : names;
    const isJson = data.some((schema) => contentOf(document, schema) !== undefined);
    const isMixed = !isJson && inPlaceSchemasOf(document, node).some((schema) => hasJsonData(document, schema));
    if (!isMixed) kinds.push({ names: eventNames, isJson });
    if (isJson) return rewriteParts(document, node, undefined);
    if (!isMixed) return texts.length > 0 ? { allOf: [node, { properties: { data: { allOf: texts } } }] } : node;
    return rewriteParts(document, node, (alternative, values) =>
      rewrite(alternative, [...texts, ...data], values ?? eventNames),
    );
  }
}

/**
 * Copies a schema, and replaces the schema of `data` with its contentSchema. If `node` is a reference, the copy has it as
 * `x-rewritten`. Alternatives are copied in the same way if `replace` is undefined.
 */
function rewriteParts(
  document: Document,
  node: WrittenSchema,
  replace: ((alternative: WrittenSchema, names: Names) => WrittenSchema) | undefined,
): WrittenSchema {
  if (!isObjectOrArray(node)) return node;
  const schema = resolveReference(document, node);
  const { allOf, discriminator, properties: { data, ...otherProperties } = {} } = schema;
  const content = data && contentOf(document, data);
  // If other properties are forbidden, `data` has to stay.
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  const properties = content || (data && isClosed) ? { ...otherProperties, data: content ?? {} } : otherProperties;
  const unions = (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
    const alternatives = schema[keyword];
    if (
      alternatives?.some((alternative) =>
        inPlaceSchemasOf(document, alternative).some((inPlaceSchema) => hasJsonData(document, inPlaceSchema)),
      ) !== true
    )
      return [];
    const replaced = alternatives.map((alternative: WrittenSchema | boolean) => {
      if (typeof alternative === 'boolean') return alternative && replace ? replace({}, undefined) : alternative;
      const isTagged = discriminator?.propertyName === 'event' && alternative.$ref !== undefined;
      const values = isTagged ? discriminatorValuesOf(document, discriminator, alternative.$ref) : [];
      const rewritten = replace
        ? replace(alternative, values.length > 0 ? values : undefined)
        : rewriteParts(document, alternative, undefined);
      // If the tag is required, the validator checks only the alternative that the tag selects.
      const required = isTagged || schema.required?.includes('event') === true ? ['event'] : [];
      const tag = values.length > 0 ? { properties: { event: { enum: values } } } : {};
      return required.length > 0 ? { allOf: [rewritten, { required, ...tag }] } : rewritten;
    });
    return [[keyword, replaced] as const];
  });
  return copyExactValues(schema, {
    ...(unions.length > 0 ? omitKeywords(schema, 'discriminator') : schema),
    ...(schema.properties && { properties }),
    ...(allOf && { allOf: allOf.map((child) => rewriteParts(document, child, replace)) }),
    ...Object.fromEntries(unions),
    ...(node.$ref !== undefined && { 'x-rewritten': node.$ref }),
  });
}

function hasJsonData(document: Document, { properties }: WrittenSchema): boolean {
  return isObjectOrArray(properties?.['data']) && contentOf(document, properties['data']) !== undefined;
}

/** Returns the schema of the JSON in a string; undefined if the string does not have to be JSON. */
function contentOf(document: Document, data: WrittenSchema): WrittenSchema | undefined {
  const inPlaceSchemas: (WrittenSchema & JsonInString)[] = isObjectOrArray(data)
    ? inPlaceSchemasOf(document, data, ['allOf'])
    : [];
  const json = inPlaceSchemas.find(
    ({ contentMediaType, contentSchema }) => JSON_TYPE.test(String(contentMediaType)) && contentSchema !== undefined,
  );
  return json?.contentSchema;
}

interface JsonInString {
  readonly contentMediaType?: unknown;
  readonly contentSchema?: WrittenSchema;
}
