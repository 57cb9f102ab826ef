// Reads the value of a reply's header.
import type { Text } from '../contract/model';
import { itemOf, propertiesOf, typesOf, type Schema } from '../contract/schema';
import { readContent } from '../wire/content';
import { readNumber, type Json } from '../wire/json';

/** Undefined when malformed; `a,1,b,2`, or exploded `a=1,b=2`, is `{ a: 1, b: 2 }` (RFC 6570 section 3.2.2). */
export function readHeader({ schema, style, isExploded }: Text, text: string): Json | undefined {
  if (style === 'json') {
    const json = readContent({ kind: 'json' }, Buffer.from(text, 'latin1'));
    return json instanceof Error ? undefined : json;
  }
  const types = typesOf(schema);
  // A string may contain commas.
  if (types.has('string')) return readScalar(schema, text);
  const parts = text.split(',').map((part) => part.trim());
  if (types.has('array')) return parts.map((part, index) => readScalar(itemOf(schema, index), part));
  if (!types.has('object')) return readScalar(schema, text);
  const pairs = isExploded ? parts.map(splitAtEquals) : inTwos(parts);
  // A name without a value.
  if (pairs.some((pair) => pair.length !== 2)) return undefined;
  const properties = propertiesOf(schema);
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name, readScalar(properties.get(name), value)] as const),
  );
}

function splitAtEquals(part: string): string[] {
  const equals = part.indexOf('=');
  return equals === -1 ? [part] : [part.slice(0, equals), part.slice(equals + 1)];
}

// Names and values by turns.
function inTwos(parts: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_unused, index) => parts.slice(2 * index, 2 * index + 2));
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

// A text that does not fit the schema's type stays a text, which the validator then refuses.
function readScalar(schema: Schema | undefined, text: string): Json {
  if (!schema) return text;
  const types = typesOf(schema);
  if (types.has('string')) return text;
  const isNumber = (types.has('number') && NUMBER.test(text)) || (types.has('integer') && INTEGER.test(text));
  if (isNumber) return readNumber(text);
  const isBoolean = types.has('boolean') && (text === 'true' || text === 'false');
  return isBoolean ? text === 'true' : text;
}
