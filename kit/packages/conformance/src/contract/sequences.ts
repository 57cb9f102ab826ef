// Rewrites the item schemas of sequential media types, and the schemas of JSON in event data, as plain JSON Schema.
import { isJsonList, isJsonObject, objectOrEmpty, type Json, type JsonObject } from '../wire/json';
import { essenceOf, isJsonType } from '../wire/media-type';
import { extendPointer, sameValueSchemas } from './pointer';

/** This keyword holds the schema of JSON in event data, because JSON Schema does not assert `contentSchema`. */
export const ASSERTED_CONTENT = 'x-asserted-content';

/** The keyword is `itemSchema` in OpenAPI 3.2, and an extension in earlier versions. */
const ITEM_SCHEMA_NAMES = ['itemSchema', 'x-oai-itemSchema'];

/**
 * Gives each Media Type Object with an itemSchema a `schema` for the list of items (OpenAPI 3.2, Sequential Media
 * Types). Makes the `contentSchema` of event data an assertion.
 */
export function declareSequences(root: JsonObject): JsonObject {
  const dataSchemas = findDataSchemas(root);
  return copy(root, '#', false) as JsonObject;

  function copy(value: Json, pointer: string, isMediaType: boolean): Json {
    const copyMember = ([name, member]: readonly [string, Json]): Json =>
      copy(member, extendPointer(pointer, name), /\/(?:content|mediaTypes)$/.test(pointer));
    if (isJsonList(value)) return Object.entries(value).map(copyMember);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map((entry) => [entry[0], copyMember(entry)] as const);
    const itemSchemaName = isMediaType ? nameOfItemSchema(value) : undefined;
    return {
      ...Object.fromEntries(members),
      ...(itemSchemaName !== undefined && {
        schema: {
          ...{ type: 'array', items: { $ref: extendPointer(pointer, itemSchemaName) } },
          ...(value['schema'] !== undefined && { allOf: [copyMember(['schema', value['schema']])] }),
        },
      }),
      ...(dataSchemas.has(value) && { [ASSERTED_CONTENT]: { $ref: extendPointer(pointer, 'contentSchema') } }),
    };
  }
}

function nameOfItemSchema(mediaType: JsonObject): string | undefined {
  return ITEM_SCHEMA_NAMES.find((name) => mediaType[name] !== undefined);
}

function findDataSchemas(root: JsonObject): ReadonlySet<JsonObject> {
  const itemSchemas = findEventStreams(root, root).flatMap((mediaType) => {
    const name = nameOfItemSchema(mediaType);
    const lists = sameValueSchemas(root, [mediaType['schema']]);
    return [...(name === undefined ? [] : [mediaType[name]]), ...lists.map(({ items }) => items)];
  });
  const dataSchemas = sameValueSchemas(root, itemSchemas).map(({ properties }) => objectOrEmpty(properties)['data']);
  const describesJson = ({ contentMediaType, contentSchema }: JsonObject): boolean =>
    typeof contentMediaType === 'string' && isJsonType(essenceOf(contentMediaType)) && contentSchema !== undefined;
  return new Set(sameValueSchemas(root, dataSchemas).filter(describesJson));
}

function findEventStreams(root: JsonObject, value: Json): JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const { content } = objectOrEmpty(value);
  const eventStreams = Object.entries(objectOrEmpty(content)).flatMap(([name, mediaType]) =>
    essenceOf(name) === 'text/event-stream' ? sameValueSchemas(root, [mediaType], []) : [],
  );
  return [...eventStreams, ...Object.values(value as JsonObject).flatMap((member) => findEventStreams(root, member))];
}
