// Marks a body, so that what it creates can be recognized.
import { propertiesOf, type Schema } from '../contract/schema';
import { fits, type Values } from '../values/variant';
import { isJsonObject, type Json } from '../wire/json';

/** Marks the last string property that stays valid with it; a body without one, or an invalid one, stays as it is. */
export function withMark(values: Values, schema: Schema, body: Json): Json {
  if (!isJsonObject(body) || !fits(values, schema, body)) return body;
  const markedBodies = [...propertiesOf(schema).keys()]
    .filter((name) => typeof body[name] === 'string')
    .map((name) => ({ ...body, [name]: values.mark }));
  return markedBodies.toReversed().find((marked) => fits(values, schema, marked)) ?? body;
}
