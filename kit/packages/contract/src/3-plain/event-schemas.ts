// Reads the itemSchema of media types. Where a contentSchema describes JSON in the `data` of a server-sent event, it rewrites
// the event's schema, because handlers see the parsed value.
import { copyExactValues, isData, isMapByName } from '../1-parse/parse-yaml';
import { DocumentError, DocumentErrors } from '../text/document-error';
import { resolveReference, type Document, type MediaTypeObject } from '../2-resolve/document';
import { inPlaceSchemasOf } from '../2-resolve/find-schemas';
import { isObjectOrArray, isOpenApi32, omitKeywords, type WrittenSchema } from '../2-resolve/schema';
import { discriminatorValuesOf, propertiesNamed } from './discriminator';

type Media = MediaTypeObject<WrittenSchema>;

const EVENTS = /^\s*text\/event-stream\s*(?:;|$)/i;
const JSON_DATA = /^\s*application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i;

/**
 * Prepares the media types of a document in place. Before OpenAPI 3.2, `x-oai-itemSchema` replaces `itemSchema`
 * (https://spec.openapis.org/registry/extension/).
 */
export function readItemSchemas(document: Document): readonly DocumentError[] {
  const errors = new DocumentErrors(true);
  const isNew = isOpenApi32(document.openapi);
  for (const content of new Set(findContents(document))) {
    for (const [key, node] of Object.entries(content)) {
      const media = errors.attempt(() => resolveReference<Media>(document, node, 'MediaType'));
      if (!media || !('itemSchema' in media || 'x-oai-itemSchema' in media)) continue;
      const { itemSchema, 'x-oai-itemSchema': extension, ...otherFields } = media;
      const schema = isNew ? itemSchema : extension;
      const areEvents = EVENTS.test(key) && isObjectOrArray(schema);
      const read = areEvents ? errors.attempt(() => readEvents(document, schema, content, key)) : undefined;
      content[key] = { ...otherFields, ...(schema !== undefined && { itemSchema: schema }), ...read };
    }
  }
  return errors.all;
}

// Schemas and extensions that OpenAPI does not register contain no media types.
const SKIPPED = /^(?:x-(?!oai-)|schemas?$)/;

function* findContents(node: object, areKeysNames = false): Generator<Record<string, Media>> {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!isObjectOrArray(child) || (!areKeysNames && (SKIPPED.test(key) || isData(key, child)))) continue;
    if (key === 'content' && !areKeysNames) yield child as Record<string, Media>;
    yield* findContents(child, !areKeysNames && isMapByName(key, child));
  }
}

type Names = readonly unknown[] | undefined;
type ItemSchemas = Pick<Media, 'itemSchema' | 'x-json-events'>;

/** @throws DocumentError if the data of an event may be either text or JSON */
function readEvents(document: Document, event: WrittenSchema, content: object, key: string): ItemSchemas {
  const kinds: { readonly names: Names; readonly isJson: boolean }[] = [];
  const itemSchema = rewrite(event, [], undefined);
  const named = (isJson: boolean): unknown[] =>
    kinds.flatMap((kind) => (kind.isJson === isJson ? (kind.names ?? []) : []));
  const [json, text] = [named(true), named(false)];
  const otherEventsAreJson = new Set(kinds.filter(({ names }) => !names).map(({ isJson }) => isJson));
  if (otherEventsAreJson.size > 1 || json.some((name) => text.includes(name)))
    throw new DocumentError(
      content,
      'the data of an event may be text or JSON: give the alternatives different values of event, each as a const',
      key,
    );
  return { itemSchema, 'x-json-events': { json, text, others: otherEventsAreJson.has(true) } };

  /** @param texts the schemas of `data` outside of `node`, which apply where it is text; `names` the values of `event` */
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
 * Copies a schema, replacing the schema of `data` with its contentSchema. The copy of a reference's target has that reference
 * as `x-rewritten`. By default, alternatives are copied in the same way.
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
  // If the schema is closed, leaving out `data` would forbid it.
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
      // A required tag lets the validator check only the alternative that it names.
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

/** Finds the schema of the JSON in a string; undefined if the string may be any text. */
function contentOf(document: Document, data: WrittenSchema): WrittenSchema | undefined {
  const inPlaceSchemas: (WrittenSchema & JsonInString)[] = isObjectOrArray(data)
    ? inPlaceSchemasOf(document, data, ['allOf'])
    : [];
  const json = inPlaceSchemas.find(
    ({ contentMediaType, contentSchema }) => JSON_DATA.test(String(contentMediaType)) && contentSchema !== undefined,
  );
  return json?.contentSchema;
}

interface JsonInString {
  readonly contentMediaType?: unknown;
  readonly contentSchema?: WrittenSchema;
}
