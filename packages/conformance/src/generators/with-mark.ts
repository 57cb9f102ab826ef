import { propertiesOf, type Schema } from '../contract/schema';
import { fits, type Values } from '../values/variant';
import { isJsonObject, type Json } from '../wire/json';

/**
 * A body that can be told by its mark when it was created: the mark is its last text that may be any, so that most of
 * the body stays as it is. One that does not fit creates nothing, and stays.
 */
export function withMark(values: Values, schema: Schema, value: Json): Json {
  if (!isJsonObject(value) || !fits(values, schema, value)) return value;
  const marked = [...propertiesOf(schema).keys()]
    .filter((name) => typeof value[name] === 'string')
    .map((name) => ({ ...value, [name]: values.mark }));
  return marked.toReversed().find((one) => fits(values, schema, one)) ?? value;
}
