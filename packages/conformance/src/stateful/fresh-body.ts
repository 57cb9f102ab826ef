// Makes the values of a body new, so that a server that wants them unique accepts it.
import * as fc from 'fast-check';
import { requestPropertiesOf, rulesOf, type Schema } from '../contract/schema';
import { writeContent } from '../contract/serialization';
import { fits, type Values } from '../values/variant';
import { arbitraryMatching } from '../values/strings';
import { isJsonObject, toText, type Json } from '../wire/json';
import type { ValidBody } from './bodies';

/**
 * Replaces texts of a JSON body that have a marker, a pattern, or a format of unique values, where the body stays valid.
 *
 * @param nonce the same number gives the same body
 */
export function freshenBody(values: Values, body: ValidBody, nonce: number): ValidBody {
  const { content, value } = body;
  const { schema } = content;
  const fresh = value === undefined ? undefined : freshen(values, schema, value, nonce);
  if (fresh === undefined || fresh === value || !fits(values, schema, fresh)) return body;
  return { ...body, value: fresh, bytes: writeContent(content, fresh) };
}

function freshen(values: Values, schema: Schema, value: Json, nonce: number): Json {
  if (typeof value === 'string') {
    const text = freshText(values, schema, value, nonce);
    return text !== undefined && fits(values, schema, text) ? text : value;
  }
  if (!isJsonObject(value)) return value;
  const properties = requestPropertiesOf(schema);
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    const property = properties.get(name);
    return [name, property ? freshen(values, property, member, nonce) : member];
  });
  return Object.fromEntries(members);
}

// Values that the team gives, of an enum, or of other formats may be the only ones that a server knows.
function freshText({ marker, fixtures }: Values, schema: Schema, old: string, nonce: number): string | undefined {
  const isGiven = schema.schemaObjects.some(({ pointer }) => fixtures.places.has(pointer));
  if (isGiven || rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length > 0) return undefined;
  const [format] = rulesOf(schema, 'format').map(({ value }) => toText(value));
  if (format !== undefined && fixtures.formats.has(format)) return undefined;
  if (format === 'uuid') return `00000000-0000-4000-8000-${nonce.toString(16).padStart(12, '0')}`;
  if (format === 'email') return `${marker}-${String(nonce)}@example.org`;
  const [pattern] = rulesOf(schema, 'pattern').map(({ value }) => toText(value));
  if (format !== undefined || (pattern !== undefined && fixtures.patterns.has(pattern))) return undefined;
  if (pattern === undefined) return old.startsWith(marker) ? `${marker}-${String(nonce)}` : undefined;
  const matching = arbitraryMatching(pattern);
  // Without its bias, fast-check prefers no short texts, which repeat.
  return matching && fc.sample(fc.noBias(matching), { seed: nonce, numRuns: 1 })[0];
}
