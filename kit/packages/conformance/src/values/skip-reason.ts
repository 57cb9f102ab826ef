// Finds why no valid value of a schema can be made.
import { findUnsupportedFeature } from '../contract/read-contract';
import { subschemasOf } from '../contract/recursion';
import type { SchemaObject } from '../contract/flatten';
import { rulesOf, typesOf, type Schema } from '../contract/schema';
import { SkippedError } from '../contract/skipped';
import { toText } from '../wire/json';
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
export function findSkipReason(fixtures: Fixtures, schema: Schema): SkippedError | undefined {
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

/** The same as `findSkipReason`, but for subschemas, too. A place is one schema object with its JSON pointer. */
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
    if (fixtures.places.has(place.pointer)) return new SkippedError('values that are not given', place.pointer);
    const skipReason = findSkipReason(fixtures, {
      contract,
      schemaObjects: [place],
      recursion: undefined,
      alternatives: 1,
    });
    if (skipReason) return skipReason;
    waiting.push(...subschemasOf(contract, place));
  }
  return undefined;
}
