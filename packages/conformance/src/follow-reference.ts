// Follows the references of schemas for a validator, with a cache.
import { findReferenced } from './contract/find';
import { isJsonList, isJsonObject, type Json, type JsonObject } from './wire/json';

// More references in a row are taken for a circle.
const MAX_HOPS = 10;

/**
 * Creates a function that returns the target of a schema that is a reference, and other schemas unchanged. A reference
 * without a target becomes the empty schema, which allows every value.
 *
 * @param hasSiblings whether keywords beside `$ref` count, as from OpenAPI 3.1 on
 */
export function createReferenceFollower(root: JsonObject, hasSiblings: boolean): (schema: Json) => Json {
  const targets = new Map<string, Json>();
  const combinations = new Map<JsonObject, Json>();
  return (schema) => follow(schema, 0);

  // The target of a reference, in as many hops as it takes; keywords beside the reference are kept where they count.
  function follow(schema: Json, hops: number): Json {
    if (!isJsonObject(schema) || typeof schema['$ref'] !== 'string') return schema;
    const { $ref: reference, ...siblings } = schema;
    if (hasSiblings && Object.keys(siblings).length > 0) return combineWithSiblings(schema, reference, siblings);
    const target =
      targets.get(reference) ?? (hops > MAX_HOPS ? {} : follow(findReferenced(root, reference) ?? {}, hops + 1));
    targets.set(reference, target);
    return target;
  }

  // The keywords beside a reference, with the reference as an item of their allOf. Cached by the schema that has both.
  function combineWithSiblings(schema: JsonObject, reference: string, siblings: JsonObject): Json {
    const { allOf } = siblings;
    const combination = combinations.get(schema) ?? {
      ...siblings,
      allOf: [...(isJsonList(allOf) ? allOf : []), { $ref: reference }],
    };
    combinations.set(schema, combination);
    return combination;
  }
}
