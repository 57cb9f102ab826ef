// Finds why no valid value of a schema can be made.
import { findUnsupportedFeature } from '../contract/read-contract';
import { extendPointer } from '../contract/pointer';
import type { SchemaObject } from '../contract/flatten';
import { readSchema, rulesOf, typesOf, type Schema } from '../contract/schema';
import { SkippedError } from '../contract/skipped';
import { isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { FORMATS } from './strings';
import type { Fixtures } from './fixtures';

// Keywords that do not restrict values.
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'summary', 'example', 'examples', 'default'],
  ...['deprecated', 'externalDocs', 'xml', 'discriminator'],
  ...['$comment', '$schema', '$id', '$anchor', '$defs', 'definitions'],
  ...['readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding', 'contentSchema'],
]);

/** Finds why no value of a schema can be made, its subschemas left out; undefined if nothing stands in the way. */
export function skipReasonOf(fixtures: Fixtures, schema: Schema): SkippedError | undefined {
  const { dialect } = schema.contract;
  for (const { keywords, pointer, skipReason } of schema.schemaObjects) {
    if (skipReason) return skipReason;
    const unreadable = findUnsupportedFeature(dialect, keywords);
    if (unreadable !== undefined) return new SkippedError(unreadable, pointer);
    // Keywords with x- are extensions, and do not restrict values.
    const unsupported = Object.keys(keywords).find(
      (name) => !dialect.keywords.has(name) && !ANNOTATIONS.has(name) && !name.startsWith('x-'),
    );
    if (unsupported !== undefined) return new SkippedError(`the keyword ${unsupported}`, pointer);
  }
  const types = typesOf(schema);
  // A format does not restrict values of other types.
  const canHaveFormat = types.has('string') || types.has('integer') || types.has('number');
  return canHaveFormat ? findUnknownFormat(fixtures, schema) : undefined;
}

function findUnknownFormat({ formats: knownFormats }: Fixtures, schema: Schema): SkippedError | undefined {
  for (const { value, schemaObject: place } of rulesOf(schema, 'format')) {
    const name = toText(value);
    if (!FORMATS[name] && !knownFormats.has(name)) return new SkippedError(`the format ${name}`, place.pointer);
  }
  return undefined;
}

/** The same as `skipReasonOf`, but for subschemas, too. A place is one schema object with its JSON pointer. */
export function skipReasonWithin(
  fixtures: Fixtures,
  { contract, schemaObjects: places }: Schema,
): SkippedError | undefined {
  const seen = new Set<string>();
  const waiting: SchemaObject[] = [...places];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    // A recursive schema leads back to itself.
    if (seen.has(place.pointer)) continue;
    seen.add(place.pointer);
    const skipReason = skipReasonOf(fixtures, { contract, schemaObjects: [place], ancestors: [] });
    if (skipReason) return skipReason;
    for (const pointer of subschemaPointers(place)) waiting.push(...readSchema(contract, pointer).schemaObjects);
  }
  return undefined;
}

const WITH_SCHEMA = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
// Keywords whose value is an object or a list of schemas.
const WITH_SCHEMAS = [
  ...['properties', 'patternProperties', 'dependencies', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'],
];

// Leaves out what is not an object: `additionalProperties` may be a boolean, and a dependency a list of names.
function subschemaPointers({ keywords, pointer }: SchemaObject): string[] {
  const single = WITH_SCHEMA.filter((keyword) => isJsonObject(keywords[keyword]));
  const several = WITH_SCHEMAS.flatMap((keyword) =>
    Object.entries<Json>(Object(keywords[keyword]) as JsonObject)
      .filter(([, subschema]) => isJsonObject(subschema))
      .map(([key]) => [keyword, key]),
  );
  return [...single.map((keyword) => [keyword]), ...several].map((keys) => extendPointer(pointer, ...keys));
}
