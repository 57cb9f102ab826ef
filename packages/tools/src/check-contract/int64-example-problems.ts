import {
  createShape,
  type Document,
  isInt64,
  Mistake,
  parseExactYaml,
  resolveReference,
  type Schema,
  type Shape,
  toPlainDocument,
} from '@contract-kit/server/contract';
import { DATA, MAPS } from './canonical-members';
import { isObject, pointerTo, type Problem } from './problem';

/**
 * Finds int64 examples out of range. Redocly checks examples too, but reads numbers as doubles, where 2^63 - 1 and 2^63
 * are equal.
 *
 * @param source the text of a contract that can be served
 */
export function findInt64ExampleProblems(source: string): Problem[] {
  const document = toPlainDocument(parseExactYaml(source) as Document);
  return [...findExamples(document)].flatMap(({ pointer, schema, value }) => {
    try {
      return checkValue(createShape(document, schema), value, pointer);
    } catch (error) {
      // Only a schema that no operation uses, or of a file in a form, can have a mistake.
      if (error instanceof Mistake) return [];
      throw error;
    }
  });
}

function checkValue(shape: Shape, value: unknown, pointer: string): Problem[] {
  if (shape.isInt64) return isOutOfRange(value) ? [{ pointer, message: `${String(value)} is no int64` }] : [];
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.flatMap((item, index) => checkValue(items, item, pointerTo(pointer, String(index)))) : [];
  }
  if (!isObject(value)) return [];
  return [...shape.properties].flatMap(([name, property]) =>
    checkValue(property, value[name], pointerTo(pointer, name)),
  );
}

// Redocly reports other values than integers.
function isOutOfRange(value: unknown): boolean {
  if (typeof value === 'bigint') return !isInt64(value);
  return Number.isInteger(value) && !isInt64(BigInt(value as number));
}

/** A value that the contract gives as an example of a schema. */
interface Example {
  readonly pointer: string;
  readonly schema: Schema;
  readonly value: unknown;
}

/** Lists the examples of a contract: of schemas, media types, parameters and headers. */
function* findExamples(document: Document): Generator<Example> {
  yield* findBelow(document.paths, '#/paths', true);
  for (const [kind, map] of Object.entries(document.components ?? {})) {
    if (kind !== 'examples') yield* findBelow(map, pointerTo('#/components', kind), true);
  }

  // `isMap`: the keys of the node are names, not keywords.
  function* findBelow(node: unknown, pointer: string, isMap: boolean): Generator<Example> {
    if (typeof node !== 'object' || node === null) return;
    if (isObject(node) && !isMap) {
      const schema = (node['schema'] ?? node) as Schema;
      if ('example' in node) yield { pointer: pointerTo(pointer, 'example'), schema, value: node['example'] };
      const { examples } = node;
      for (const [name, example] of Object.entries(examples ?? {}) as [string, unknown][]) {
        const location = pointerTo(pointer, 'examples', name);
        if (Array.isArray(examples)) yield { pointer: location, schema, value: example };
        else yield { pointer: pointerTo(location, 'value'), schema, value: exampleValue(example) };
      }
    }
    for (const [key, child] of Object.entries(node)) {
      const isData = DATA.has(key) || key === 'example' || key === 'examples' || key.startsWith('x-');
      if (isMap || !isData) yield* findBelow(child, pointerTo(pointer, key), !isMap && MAPS.has(key));
    }
  }

  // The `value` of one entry of `examples`.
  function exampleValue(example: unknown): unknown {
    // The `examples` of a schema are an array; in an object there instead, an entry may be anything.
    if (!isObject(example)) return undefined;
    return resolveReference<{ readonly value?: unknown }>(document, example).value;
  }
}
