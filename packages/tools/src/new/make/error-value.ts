// Writes code for the body of an error, by its schema.
import { type Document, resolveReference, type Schema } from '@contract-kit/server/contract';

// What the body of an error tells, where a schema requires nothing of it.
const TELLING = /message|detail|description|error|reason|title|code|status/i;
const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'new Date().toISOString()',
  date: 'new Date().toISOString().slice(0, 10)',
  uuid: 'crypto.randomUUID()',
  uri: `'about:blank'`,
};
// Below, only what is required; and in the end nothing, since a schema may hold itself.
const MAX_DEPTH = 3;
const END = 20;

/** The keywords that the kit does not read itself. */
interface Rules extends Schema {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  /** Of a text. */
  readonly example?: string | number;
  readonly examples?: readonly (string | number)[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Code for the body of an error that a schema allows, of `kind`, `status` and `message`. It is a first version: what fits
 * need not be what is meant.
 *
 * @param name of the property that has the value
 * @example writeErrorValue(document, { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } }) // '{ code: status }'
 */
export function writeErrorValue(document: Document, node: Schema, name = 'message', depth = 0): string {
  if (depth === END) return 'null';
  const parts = flatten(document, node);
  const rules = Object.assign({}, ...[...parts].reverse()) as Rules;
  const [fixed] = rules.const === undefined ? (rules.enum ?? []) : [rules.const];
  if (fixed !== undefined) return JSON.stringify(fixed);
  const properties = new Map(parts.flatMap((part) => Object.entries(part.properties ?? {})));
  const items = parts.find((part) => part.items)?.items;
  const [type = guessType(properties.size > 0, items)] = [rules.type ?? []].flat().filter((one) => one !== 'null');
  switch (type) {
    case 'object':
      return writeObject();
    case 'array':
      return items ? `[${writeErrorValue(document, items, name, depth + 1)}]` : '[]';
    case 'integer':
    case 'number':
      return writeNumber(rules);
    case 'string':
      return writeText(rules, name);
    default:
      return 'false';
  }

  function writeObject(): string {
    const required = parts.flatMap((part) => part.required ?? []);
    const telling = [...properties.keys()].filter((one) => depth < MAX_DEPTH && TELLING.test(one));
    // What fits one alternative only has more than what all of them require.
    const isOneOf = parts.some(({ oneOf = [] }) => oneOf.length > 1);
    const names = new Set(required.length > 0 && !isOneOf ? required : [...required, ...telling]);
    const members = [...names].map((one) => {
      return `${JSON.stringify(one)}: ${writeErrorValue(document, properties.get(one) ?? {}, one, depth + 1)}`;
    });
    return `{ ${members.join(', ')} }`;
  }
}

function guessType(hasProperties: boolean, items: Schema | undefined): string {
  if (hasProperties) return 'object';
  return items ? 'array' : 'string';
}

function writeNumber({ format, minimum = 400, maximum = 599 }: Rules): string {
  const isStatus = minimum <= 400 && maximum >= 599;
  const number = isStatus ? 'status' : String(minimum > 400 ? minimum : maximum);
  return format === 'int64' ? `BigInt(${number})` : number;
}

function writeText(
  { format = '', pattern, maxLength, example, examples: [first = example] = [] }: Rules,
  name: string,
): string {
  if (Object.hasOwn(OF_FORMATS, format)) return String(OF_FORMATS[format]);
  // A number is meant as its text.
  if (pattern !== undefined && first !== undefined) return JSON.stringify(String(first));
  const text = /status/i.test(name) ? 'String(status)' : /code|type|kind/i.test(name) ? 'kind' : 'message';
  return maxLength === undefined ? text : `${text}.slice(0, ${String(maxLength)})`;
}

/** A schema with all that it consists of: of alternatives, one. */
function flatten(document: Document, node: Schema): Rules[] {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const alternatives = oneOf.map((child) => flatten(document, child));
  // What has less than another one requires fits no other one.
  const [chosen = []] = alternatives.toSorted((one, other) => countRequired(one) - countRequired(other));
  const children = [...allOf, ...anyOf.slice(0, 1)];
  return [schema, ...children.flatMap((child) => flatten(document, child)), ...chosen];
}

function countRequired(parts: readonly Rules[]): number {
  const isObject = parts.some(({ properties }) => properties);
  return isObject ? parts.flatMap(({ required = [] }) => required).length : Number.MAX_VALUE;
}
