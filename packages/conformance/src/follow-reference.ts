// Follows the references of schemas for a validator, with a cache.
import { findReferenced } from './contract/find';
import { isJsonList, isJsonObject, type Json, type JsonObject } from './wire/json';

// More references in a row are taken for a circle.
const MAX_HOPS = 10;

/** The function follows references, to `{}` (every value is valid) without a target; it returns other schemas as is. */
export function createReferenceFollower(root: JsonObject, hasSiblings: boolean): (schema: Json) => Json {
  const targets = new Map<string, Json>();
  const combinations = new Map<JsonObject, Json>();
  return (schema) => follow(schema, 0);

  function follow(schema: Json, hops: number): Json {
    if (!isJsonObject(schema) || typeof schema['$ref'] !== 'string') return schema;
    const { $ref: reference, ...siblings } = schema;
    if (hasSiblings && Object.keys(siblings).length > 0) return combineWithSiblings(schema, reference, siblings);
    const target =
      targets.get(reference) ?? (hops > MAX_HOPS ? {} : follow(findReferenced(root, reference) ?? {}, hops + 1));
    targets.set(reference, target);
    return target;
  }

  // The keywords beside a reference, with the reference as an item of their allOf.
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
