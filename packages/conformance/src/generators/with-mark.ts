import { propertiesOf, type Schema } from '../contract/schema';
import { fits, type Values } from '../values/variant';
import { isJsonObject, type Json } from '../wire/json';

/**
 * Puts the mark into a body, so that what it creates can be recognized: into the last string property for which any
 * text is valid. An invalid body creates nothing, and stays the same.
 */
export function withMark(values: Values, schema: Schema, value: Json): Json {
  if (!isJsonObject(value) || !fits(values, schema, value)) return value;
  const marked = [...propertiesOf(schema).keys()]
    .filter((name) => typeof value[name] === 'string')
    .map((name) => ({ ...value, [name]: values.mark }));
  return marked.toReversed().find((one) => fits(values, schema, one)) ?? value;
}
