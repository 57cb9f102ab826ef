// Declares the items of sequential media types, and the JSON in the data of events, in the words of plain JSON Schema.
import { isJsonList, isJsonObject, objectOrEmpty, type Json, type JsonObject } from '../wire/json';
import { essenceOf, isJsonType } from '../wire/media-type';
import { extendPointer, sameValueSchemas } from './pointer';

/** A keyword on the data of an event: the schema of the JSON in that string. JSON Schema itself asserts none. */
export const ASSERTED_CONTENT = 'x-asserted-content';

/** The member of a Media Type Object that has the schema of an item, by its names in 3.2 and before. */
const ITEM_SCHEMA_NAMES = ['itemSchema', 'x-oai-itemSchema'];

/**
 * Copies a contract: the `schema` of a Media Type Object with an itemSchema becomes that of the list of all items
 * (OpenAPI 3.2, Sequential Media Types), and the `contentSchema` in the data of events is asserted.
 */
export function declareSequences(root: JsonObject): JsonObject {
  const dataSchemas = findDataSchemas(root);
  return copy(root, '#', false) as JsonObject;

  function copy(node: Json, pointer: string, isMediaType: boolean): Json {
    const copyMember = ([name, member]: readonly [string, Json]): Json =>
      copy(member, extendPointer(pointer, name), /\/(?:content|mediaTypes)$/.test(pointer));
    if (isJsonList(node)) return Object.entries(node).map(copyMember);
    if (!isJsonObject(node)) return node;
    const members = Object.entries(node).map((entry) => [entry[0], copyMember(entry)] as const);
    const itemSchemaName = isMediaType ? nameOfItemSchema(node) : undefined;
    return {
      ...Object.fromEntries(members),
      ...(itemSchemaName !== undefined && {
        schema: {
          ...{ type: 'array', items: { $ref: extendPointer(pointer, itemSchemaName) } },
          ...(node['schema'] !== undefined && { allOf: [copyMember(['schema', node['schema']])] }),
        },
      }),
      ...(dataSchemas.has(node) && { [ASSERTED_CONTENT]: { $ref: extendPointer(pointer, 'contentSchema') } }),
    };
  }
}

function nameOfItemSchema(mediaType: JsonObject): string | undefined {
  return ITEM_SCHEMA_NAMES.find((name) => mediaType[name] !== undefined);
}

// The schemas of the data of any event that say which JSON it is.
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

function findEventStreams(root: JsonObject, node: Json): JsonObject[] {
  if (typeof node !== 'object' || node === null) return [];
  const { content } = objectOrEmpty(node);
  const own = Object.entries(objectOrEmpty(content)).flatMap(([name, mediaType]) =>
    essenceOf(name) === 'text/event-stream' ? sameValueSchemas(root, [mediaType], []) : [],
  );
  return [...own, ...Object.values(node as JsonObject).flatMap((member) => findEventStreams(root, member))];
}
