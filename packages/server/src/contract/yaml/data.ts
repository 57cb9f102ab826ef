// Tells keywords of a contract from names that it chooses, and from data.

const MAPS_BY_NAME = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas', 'mapping', 'variables'],
  ...['headers', 'parameters', 'responses', 'requestBodies', 'pathItems', 'callbacks', 'webhooks', 'examples', 'links'],
  ...['content', 'encoding', 'paths'],
]);
const DATA = new Set(['example', 'value', 'default', 'enum', 'const']);

/**
 * Whether the keys in a keyword's value are names, as those of `properties`, which may be `default` or begin with x-.
 *
 * @example isMapByName('properties', { default: { type: 'string' } }) // true
 */
export function isMapByName(keyword: string, value: unknown): boolean {
  return MAPS_BY_NAME.has(keyword) && !Array.isArray(value);
}

/**
 * Whether a keyword's value is data, as that of `default`: no key in it is a keyword.
 *
 * @example isData('default', { $ref: 'a text' }) // true
 */
export function isData(keyword: string, value: unknown): boolean {
  // The examples of a schema are a list of data; those of a media type are Example Objects by name.
  return DATA.has(keyword) || (keyword === 'examples' && Array.isArray(value));
}
