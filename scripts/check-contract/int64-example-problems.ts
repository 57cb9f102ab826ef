import type { Document } from '../../src/contract/document/document';
import { isInt64 } from '../../src/contract/json/int64';
import { createShape } from '../../src/contract/document/create-shape';
import type { Shape } from '../../src/contract/document/shape';
import { findExamples } from './find-examples';
import { isObject, pointerTo } from './json';
import { parseExactYaml } from '../../src/contract/document/parse-exact-yaml';
import type { Problem } from './problem';

/**
 * The examples of an int64 that are out of its range. Redocly judges examples too, but knows numbers only as doubles,
 * of which 2^63 - 1 and 2^63 are the same.
 *
 * @param source the text of a contract that can be served
 */
export function int64ExampleProblems(source: string): Problem[] {
  const document = parseExactYaml(source) as Document;
  return [...findExamples(document)].flatMap(({ pointer, schema, value }) =>
    check(createShape(document, schema), value, pointer),
  );
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

// What is no integer at all breaks the type, which Redocly tells.
function isOutOfRange(value: unknown): boolean {
  if (typeof value === 'bigint') return !isInt64(value);
  return Number.isInteger(value) && !isInt64(BigInt(value as number));
}
