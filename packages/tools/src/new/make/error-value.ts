// Writes code for the body of an error, by its schema.
import { type Document, resolveReference, type Schema } from '@contract-kit/server/contract';

// Names of optional properties that describe an error. They are written if a schema requires none.
const DESCRIBING_NAME = /message|detail|description|error|reason|title|code|status/i;
const EXPRESSION_OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': 'new Date().toISOString()',
  date: 'new Date().toISOString().slice(0, 10)',
  uuid: 'crypto.randomUUID()',
  uri: `'about:blank'`,
};
// Below this depth, only required properties are written.
const MAX_DEPTH_OF_OPTIONAL = 3;
// Here it ends: a schema may contain itself.
const DEPTH_LIMIT = 20;

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
 * Writes code for the body of an error that a schema allows, of the variables `kind`, `status` and `message`. It is a
 * first version: the value has the right type, but people may have meant another one.
 *
 * @param name of the property whose value it is
 * @example writeErrorValue(document, { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } }) // '{ code: status }'
 */
export function writeErrorValue(document: Document, node: Schema, name = 'message', depth = 0): string {
  if (depth === DEPTH_LIMIT) return 'null';
  const parts = listParts(document, node);
  // The schema's own keywords win over those of its parts.
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
      return writeStringExpression(rules, name);
    default:
      return 'false';
  }

  function writeObject(): string {
    const required = parts.flatMap((part) => part.required ?? []);
    const describing = [...properties.keys()].filter((one) => depth < MAX_DEPTH_OF_OPTIONAL && DESCRIBING_NAME.test(one));
    // To fit only one alternative, a value may need more properties than the required ones.
    const isOneOf = parts.some(({ oneOf = [] }) => oneOf.length > 1);
    const names = new Set(required.length > 0 && !isOneOf ? required : [...required, ...describing]);
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
  // A number that may be any status of an error is written as the status.
  const isStatus = minimum <= 400 && maximum >= 599;
  const number = isStatus ? 'status' : String(minimum > 400 ? minimum : maximum);
  return format === 'int64' ? `BigInt(${number})` : number;
}

// Writes the code of a string: `kind`, `status` and `message` are variables where the code is put, and the name of the
// property tells which one is meant. No text of ours is certain to match a pattern, but the contract's example does.
function writeStringExpression(
  { format = '', pattern, maxLength, example, examples: [first = example] = [] }: Rules,
  name: string,
): string {
  if (Object.hasOwn(EXPRESSION_OF_FORMAT, format)) return String(EXPRESSION_OF_FORMAT[format]);
  // An example in YAML may be a number where a string is meant.
  if (pattern !== undefined && first !== undefined) return JSON.stringify(String(first));
  const text = /status/i.test(name) ? 'String(status)' : /code|type|kind/i.test(name) ? 'kind' : 'message';
  return maxLength === undefined ? text : `${text}.slice(0, ${String(maxLength)})`;
}

/** Lists a schema and its parts: all of allOf, the first of anyOf, and one of oneOf. */
function listParts(document: Document, node: Schema): Rules[] {
  const schema = resolveReference(document, node);
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const alternatives = oneOf.map((child) => listParts(document, child));
  // The alternative that requires least: a value with no more than its properties fits no other one.
  const [chosen = []] = alternatives.toSorted((one, other) => countRequired(one) - countRequired(other));
  const children = [...allOf, ...anyOf.slice(0, 1)];
  return [schema, ...children.flatMap((child) => listParts(document, child)), ...chosen];
}

function countRequired(parts: readonly Rules[]): number {
  const isObject = parts.some(({ properties }) => properties);
  return isObject ? parts.flatMap(({ required = [] }) => required).length : Number.MAX_VALUE;
}
