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
export function int64ExampleProblems(source: string): Problem[] {
  const document = toPlainDocument(parseExactYaml(source) as Document);
  return [...findExamples(document)].flatMap(({ pointer, schema, value }) => {
    try {
      return check(createShape(document, schema), value, pointer);
    } catch (error) {
      if (error instanceof Mistake) return []; // Only what no operation uses, or a file of a form, may have one.
      throw error;
    }
  });
}

function check(shape: Shape, value: unknown, pointer: string): Problem[] {
  if (shape.isInt64) return isOutOfRange(value) ? [{ pointer, message: `${String(value)} is no int64` }] : [];
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.flatMap((item, index) => check(items, item, pointerTo(pointer, String(index)))) : [];
  }
  if (!isObject(value)) return [];
  return [...shape.properties].flatMap(([name, property]) => check(property, value[name], pointerTo(pointer, name)));
}

// Redocly reports values that are no integers.
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

/** Every example of a contract: of schemas, media types, parameters and headers. */
function* findExamples(document: Document): Generator<Example> {
  yield* below(document.paths, '#/paths', true);
  for (const [kind, map] of Object.entries(document.components ?? {})) {
    if (kind !== 'examples') yield* below(map, pointerTo('#/components', kind), true);
  }

  function* below(node: unknown, pointer: string, isMap: boolean): Generator<Example> {
    if (typeof node !== 'object' || node === null) return;
    if (isObject(node) && !isMap) {
      const schema = (node['schema'] ?? node) as Schema;
      if ('example' in node) yield { pointer: pointerTo(pointer, 'example'), schema, value: node['example'] };
      const { examples } = node;
      for (const [name, example] of Object.entries(examples ?? {}) as [string, unknown][]) {
        const at = pointerTo(pointer, 'examples', name);
        if (Array.isArray(examples)) yield { pointer: at, schema, value: example };
        else yield { pointer: pointerTo(at, 'value'), schema, value: valueOf(example) };
      }
    }
    for (const [key, child] of Object.entries(node)) {
      const isData = DATA.has(key) || key === 'example' || key === 'examples' || key.startsWith('x-');
      if (isMap || !isData) yield* below(child, pointerTo(pointer, key), !isMap && MAPS.has(key));
    }
  }

  // In a schema, an object of examples is a mistake, and its members may be anything.
  function valueOf(example: unknown): unknown {
    if (!isObject(example)) return undefined;
    return resolveReference<{ readonly value?: unknown }>(document, example).value;
  }
}
