import type { Text } from '../contract/model';
import { itemsOf, propertiesOf, typesOf, type Schema } from '../contract/schema';
import { readContent } from '../wire/content';
import { readNumber, type Json } from '../wire/json';

/** Reads the value of a header by its schema (RFC 6570 section 3.2.2); undefined when it is malformed. */
export function readHeader({ schema, style, isExploded }: Text, text: string): Json | undefined {
  if (style === 'json') {
    const json = readContent({ kind: 'json' }, Buffer.from(text, 'latin1'));
    return json instanceof Error ? undefined : json;
  }
  const types = typesOf(schema);
  if (types.has('string')) return readScalar(schema, text);
  const parts = text.split(',').map((part) => part.trim());
  if (types.has('array')) return parts.map((part) => readScalar(itemsOf(schema), part));
  if (!types.has('object')) return readScalar(schema, text);
  const pairs = isExploded ? parts.map(toPair) : toPairs(parts);
  if (pairs.some((pair) => pair.length !== 2)) return undefined;
  const properties = propertiesOf(schema);
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name, readScalar(properties.get(name), value)] as const),
  );
}

function toPair(part: string): string[] {
  const at = part.indexOf('=');
  return at === -1 ? [part] : [part.slice(0, at), part.slice(at + 1)];
}

function toPairs(parts: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_unused, index) => parts.slice(2 * index, 2 * index + 2));
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FRACTION = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function readScalar(schema: Schema | undefined, text: string): Json {
  if (!schema) return text;
  const types = typesOf(schema);
  const token = types.has('string') ? /^$/ : types.has('number') ? FRACTION : types.has('integer') ? INTEGER : /^$/;
  if (text !== '' && token.test(text)) return readNumber(text);
  return types.has('boolean') && !types.has('string') && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}
