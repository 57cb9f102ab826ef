import { isJsonObject } from '../wire/json';
import { deeper, resolvePointer } from './pointer';
import { resolve, toList, type Contract } from './read-contract';

const ANNOTATIONS = [
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'deprecated',
  'externalDocs',
  '$comment',
];

const GENERATED = new Set([
  ...ANNOTATIONS,
  ...['$ref', 'type', 'format', 'enum', 'const', 'default', 'nullable', 'xml'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'items'],
  ...['required', 'properties', 'patternProperties', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not'],
]);

const SINGLE = ['items', 'additionalProperties', 'not'];
const NAMED = ['properties', 'patternProperties'];
const LISTED = ['allOf', 'anyOf', 'oneOf'];

/**
 * Makes sure that cases can be made for a schema and all below it.
 *
 * @throws Error that names the keyword and the place, where they cannot
 */
export function assertGenerated(contract: Contract, pointer: string, seen = new Set<string>()): void {
  for (const at of new Set([pointer, resolve(contract, pointer).pointer])) {
    const schema = resolvePointer(contract.root, at);
    if (seen.has(at) || !isJsonObject(schema)) continue;
    seen.add(at);
    for (const keyword of Object.keys(schema)) {
      if (!GENERATED.has(keyword) && !keyword.startsWith('x-')) {
        throw new Error(`${at}: no cases can be made for the keyword ${keyword}`);
      }
    }
    if (schema['$ref'] !== undefined) continue;
    for (const child of childrenOf(contract, at)) assertGenerated(contract, child, seen);
  }
}

function childrenOf(contract: Contract, pointer: string): string[] {
  const { value } = resolve(contract, pointer);
  const single = SINGLE.filter((keyword) => isJsonObject(value[keyword])).map((keyword) => deeper(pointer, keyword));
  const named = NAMED.flatMap((keyword) =>
    Object.keys(isJsonObject(value[keyword]) ? value[keyword] : {}).map((name) => deeper(pointer, keyword, name)),
  );
  const listed = LISTED.flatMap((keyword) =>
    toList(value[keyword]).map((_schema, index) => deeper(pointer, keyword, index)),
  );
  return [...single, ...named, ...listed];
}
