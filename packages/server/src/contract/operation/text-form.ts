// Decides what the text of a parameter holds: one scalar, an array or an object.
import type { Schema } from '../document/document';
import { Mistake } from '../document/mistake';
import type { Shape } from '../document/shape';

/** What the text holds, by the schema's type. A query's `scalar or array` is an array where the parameter is repeated. */
export type TextForm = 'scalar' | 'array' | 'object' | 'scalar or array';

/** `mayRepeat`: a repeated parameter is an array, ?tag=a&tag=b. Throws a Mistake when text does not tell the types apart. */
export function toTextForm(schema: Schema, shape: Shape, mayRepeat: boolean): TextForm {
  const { types, properties, items } = shape;
  const isArray = types.has('array');
  const isObject = types.has('object') || properties.size > 0;
  const otherTypes = [...types].filter((type) => type !== 'null' && type !== 'array');
  const isScalarOrArray = isArray && !isObject && otherTypes.length > 0 && hasOnlyTypes(items, otherTypes);
  if (mayRepeat && isScalarOrArray) return 'scalar or array';
  const isAmbiguous = isArray ? otherTypes.length > 0 : isObject && otherTypes.some((type) => type !== 'object');
  if (isAmbiguous) {
    throw new Mistake(schema, 'text does not tell an array, an object and anything else apart: give it one type');
  }
  if (isArray) return 'array';
  return isObject ? 'object' : 'scalar';
}

/** Whether each item has one of these types, so that a single text is valid both as a scalar and as an array of one. */
function hasOnlyTypes(items: Shape | undefined, types: readonly string[]): boolean {
  if (!items || items.types.size === 0) return false;
  return [...items.types].every((type) => types.includes(type));
}
