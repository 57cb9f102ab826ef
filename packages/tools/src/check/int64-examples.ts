import {
  createShape,
  type Document,
  type NormalizedDocument,
  isData,
  isInt64,
  isMapByName,
  Mistake,
  parsePart,
  resolveReference,
  type NormalizedSchema as Schema,
  type Shape,
  toPlainDocument,
} from '@contract-kit/server/contract';
import { isObject, pointerTo, type ExampleError } from '../diagnostics/diagnostic';

/**
 * Finds int64 examples out of range. Redocly checks examples too, but reads numbers as doubles, where 2^63 - 1 and 2^63
 * are equal.
 */
export function findInt64ExampleErrors(source: string): ExampleError[] {
  // With bigints for integers that a double cannot hold.
  const document = toPlainDocument(parsePart(source, 'openapi.yaml') as Document);
  return [...findExamples(document)].flatMap(({ pointer, schema, value }) => {
    try {
      return findOutOfRange(createShape(document, schema), value, pointer);
    } catch (error) {
      // Since the contract can be served, no operation uses this schema, or only for a file in a form: leave it out.
      if (error instanceof Mistake) return [];
      throw error;
    }
  });
}

// `shape` tells where the schema has int64s: here, in items or in properties.
function findOutOfRange(shape: Shape, value: unknown, pointer: string): ExampleError[] {
  if (shape.isInt64) return isOutOfInt64Range(value) ? [{ pointer, message: `${String(value)} is no int64` }] : [];
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.flatMap((item, index) => findOutOfRange(items, item, pointerTo(pointer, String(index)))) : [];
  }
  if (!isObject(value)) return [];
  return [...shape.properties].flatMap(([name, property]) =>
    findOutOfRange(property, value[name], pointerTo(pointer, name)),
  );
}

// Integers that a double cannot hold are bigints. Redocly reports values that are no integers.
function isOutOfInt64Range(value: unknown): boolean {
  if (typeof value === 'bigint') return !isInt64(value);
  return Number.isInteger(value) && !isInt64(BigInt(value as number));
}

interface Example {
  readonly pointer: string;
  readonly schema: Schema;
  readonly value: unknown;
}

/** Lists the examples of a contract, each with its schema: of schemas, media types, parameters and headers. */
function* findExamples(document: NormalizedDocument): Generator<Example> {
  yield* findExamplesBelow(document.paths, '#/paths', true);
  for (const [kind, map] of Object.entries(document.components ?? {})) {
    // An entry of components/examples has no schema of its own: it is found where a reference to it is.
    if (kind !== 'examples') yield* findExamplesBelow(map, pointerTo('#/components', kind), true);
  }

  // `isMap`: the keys of the node are names that the contract chose, as in `properties`, not keywords of OpenAPI.
  function* findExamplesBelow(node: unknown, pointer: string, isMap: boolean): Generator<Example> {
    if (typeof node !== 'object' || node === null) return;
    if (isObject(node) && !isMap) {
      // A media type, parameter or header has examples beside its `schema`. A schema has examples of itself.
      const schema = (node['schema'] ?? node) as Schema;
      if ('example' in node) yield { pointer: pointerTo(pointer, 'example'), schema, value: node['example'] };
      const { examples } = node;
      for (const [name, example] of Object.entries(examples ?? {}) as [string, unknown][]) {
        const location = pointerTo(pointer, 'examples', name);
        // The `examples` of a schema are an array of values. All others are Example Objects by name.
        if (Array.isArray(examples)) yield { pointer: location, schema, value: example };
        else yield { pointer: pointerTo(location, 'value'), schema, value: readExampleValue(example) };
      }
    }
    for (const [key, child] of Object.entries(node)) {
      // In examples, extensions, and values such as those of `enum`, no key is a keyword.
      const hasNone = key === 'examples' || key.startsWith('x-') || isData(key, child);
      if (isMap || !hasNone)
        yield* findExamplesBelow(child, pointerTo(pointer, key), !isMap && isMapByName(key, child));
    }
  }

  // The `value` of an Example Object (OpenAPI), or of the one that it refers to; undefined if it has none.
  function readExampleValue(example: unknown): unknown {
    // A schema may wrongly have an object of anything as `examples`.
    if (!isObject(example)) return undefined;
    return resolveReference<{ readonly value?: unknown }>(document, example).value;
  }
}
