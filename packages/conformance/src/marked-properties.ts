// Lists the properties that a contract marks as readOnly or writeOnly.
import { findReferenced } from './contract/find';
import { isJsonList, isJsonObject, objectOrEmpty, type JsonObject } from './wire/json';

// More references and allOf in a row are taken for a circle.
const MAX_HOPS = 10;

/**
 * For marked properties, `required` counts only in replies or only in requests (OpenAPI, Schema Object). A name that is
 * marked in one schema counts as marked in all, since another part of an `allOf` may require it.
 */
export function listMarkedProperties(root: JsonObject, mark: 'readOnly' | 'writeOnly'): ReadonlySet<string> {
  const names = new Set<string>();
  const collectIn = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const properties = isJsonObject(node) ? objectOrEmpty(node['properties']) : {};
    for (const [name, property] of Object.entries(properties)) {
      if (isMarked(root, property, mark)) names.add(name);
    }
    Object.values(node).forEach(collectIn);
  };
  collectIn(root);
  return names;
}

function isMarked(root: JsonObject, schema: unknown, mark: 'readOnly' | 'writeOnly', hops = 0): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return false;
  const { $ref, allOf } = schema;
  return (
    schema[mark] === true ||
    (typeof $ref === 'string' && isMarked(root, findReferenced(root, $ref), mark, hops + 1)) ||
    (isJsonList(allOf) && allOf.some((item) => isMarked(root, item, mark, hops + 1)))
  );
}
