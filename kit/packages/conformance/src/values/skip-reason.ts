import { findUnsupportedFeature } from '../contract/read-contract';
import { subschemasOf } from '../contract/recursion';
import type { SchemaObject } from '../contract/flatten';
import { rulesOf, typesOf, type Schema } from '../contract/schema';
import { SkippedError } from '../contract/skipped';
import { toText } from '../wire/json';
import { FORMATS } from './strings';
import type { Fixtures } from './fixtures';

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'summary', 'example', 'examples', 'default'],
  ...['deprecated', 'externalDocs', 'xml', 'discriminator'],
  ...['$comment', '$schema', '$id', '$anchor', '$defs', 'definitions'],
  ...['readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding', 'contentSchema'],
]);

/** Finds why no value of a schema can be made, ignoring its subschemas; undefined if nothing prevents it. */
export function findSkipReason(fixtures: Fixtures, schema: Schema): SkippedError | undefined {
  const { dialect } = schema.contract;
  for (const { keywords, pointer, skipReason } of schema.schemaObjects) {
    if (skipReason) return skipReason;
    const unsupportedFeature = findUnsupportedFeature(dialect, keywords);
    if (unsupportedFeature !== undefined) return new SkippedError(unsupportedFeature, pointer);
    // Keywords that begin with x- are extensions.
    const unsupportedKeyword = Object.keys(keywords).find(
      (name) => !dialect.keywords.has(name) && !ANNOTATIONS.has(name) && !name.startsWith('x-'),
    );
    if (unsupportedKeyword !== undefined) return new SkippedError(`the keyword ${unsupportedKeyword}`, pointer);
  }
  const types = typesOf(schema);
  // A format does not restrict values of other types.
  const canHaveFormat = types.has('string') || types.has('integer') || types.has('number');
  return canHaveFormat ? findUnknownFormat(fixtures, schema) : undefined;
}

function findUnknownFormat({ formats: fixtureFormats }: Fixtures, schema: Schema): SkippedError | undefined {
  for (const { value, schemaObject } of rulesOf(schema, 'format')) {
    const name = toText(value);
    if (!FORMATS[name] && !fixtureFormats.has(name))
      return new SkippedError(`the format ${name}`, schemaObject.pointer);
  }
  return undefined;
}

/** Like `findSkipReason`, but includes subschemas. */
export function findInnerSkipReason(fixtures: Fixtures, { contract, schemaObjects }: Schema): SkippedError | undefined {
  const seenPointers = new Set<string>();
  const pendingObjects: SchemaObject[] = [...schemaObjects];
  for (let schemaObject = pendingObjects.pop(); schemaObject; schemaObject = pendingObjects.pop()) {
    if (seenPointers.has(schemaObject.pointer)) continue;
    seenPointers.add(schemaObject.pointer);
    if (fixtures.places.has(schemaObject.pointer))
      return new SkippedError('values that are not given', schemaObject.pointer);
    const skipReason = findSkipReason(fixtures, {
      contract,
      schemaObjects: [schemaObject],
      recursion: undefined,
      alternatives: 1,
    });
    if (skipReason) return skipReason;
    pendingObjects.push(...subschemasOf(contract, schemaObject));
  }
  return undefined;
}
