// Finds why no valid value of a schema can be made.
import { extendPointer } from '../contract/pointer';
import { toList } from '../contract/read-contract';
import { readSchema, rulesOf, typesOf, type Place, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { isJsonObject, objectOrEmpty, toText } from '../wire/json';
import { FORMATS } from './formats';
import type { Given } from './given';

// Keywords that do not restrict values.
const ANNOTATIONS = [
  ...[
    'title',
    'description',
    'summary',
    'example',
    'examples',
    'deprecated',
    'externalDocs',
    'default',
    'xml',
    'discriminator',
  ],
  ...['$comment', '$schema', '$id', '$anchor', '$defs', 'definitions'],
];

// Keywords that the suite makes values for, or, in the last line, that the validator checks.
const UNDERSTOOD = new Set([
  ...ANNOTATIONS,
  ...['$ref', 'type', 'format', 'enum', 'const', 'nullable', 'readOnly', 'writeOnly'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'items'],
  ...['required', 'properties', 'patternProperties', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not'],
  ...['if', 'then', 'else', 'contains', 'propertyNames', 'dependencies'],
]);

/** Why no valid value of a schema can be made, apart from its subschemas; undefined when one can. */
export function obstacleOf({ formats }: Given, schema: Schema): Untriable | undefined {
  const types = typesOf(schema);
  const isOfFormat = types.has('string') || types.has('integer') || types.has('number');
  for (const { schema: keywords, pointer, untriable } of schema.places) {
    if (untriable) return untriable;
    const unknown = Object.keys(keywords).find((one) => !UNDERSTOOD.has(one) && !one.startsWith('x-'));
    if (unknown !== undefined) return new Untriable(`the keyword ${unknown}`, pointer);
  }
  for (const { value, place } of isOfFormat ? rulesOf(schema, 'format') : []) {
    const name = toText(value);
    if (!FORMATS[name] && !formats.has(name)) return new Untriable(`the format ${name}`, place.pointer);
  }
  return undefined;
}

const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const NAMED = ['properties', 'patternProperties', 'dependencies'];
const LISTED = ['allOf', 'anyOf', 'oneOf'];

/** The same for a schema and all its subschemas. */
export function obstacleWithin(given: Given, { contract, places }: Schema): Untriable | undefined {
  const seen = new Set<string>();
  const waiting: Place[] = [...places];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (seen.has(place.pointer)) continue;
    seen.add(place.pointer);
    const obstacle = obstacleOf(given, { contract, places: [place] });
    if (obstacle) return obstacle;
    for (const pointer of childrenOf(place)) waiting.push(...readSchema(contract, pointer).places);
  }
  return undefined;
}

function childrenOf({ schema, pointer }: Place): string[] {
  const single = SINGLE.filter((keyword) => isJsonObject(schema[keyword])).map((keyword) =>
    extendPointer(pointer, keyword),
  );
  const named = NAMED.flatMap((keyword) =>
    Object.entries(objectOrEmpty(schema[keyword]))
      .filter(([, child]) => isJsonObject(child))
      .map(([name]) => extendPointer(pointer, keyword, name)),
  );
  const listed = LISTED.flatMap((keyword) =>
    toList(schema[keyword]).map((_schema, index) => extendPointer(pointer, keyword, index)),
  );
  return [...single, ...named, ...listed];
}
