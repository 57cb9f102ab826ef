// Converts the text of a parameter to the types of its schema.
import { Refusal } from '../refusal/refusal';
import { parseExactJson } from '../json/exact-json';
import { isNested, type Notation } from '../operation/notation';
import { childOf, itemOf, type Shape } from '../document/shape';

/** A value that was sent as text, and its numbers as they were written. */
export interface ReadValue {
  readonly value: unknown;
  readonly tokens: unknown;
}

/** Text that is split, but not decoded yet. */
export type Parts = string | readonly string[] | readonly (readonly [name: string, text: string])[];

// RFC 8259 section 6. Other notations, such as 0x10 or 1_000, are no numbers.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Decodes the parts of a parameter, and converts them to the types of its schema. Text that does not match the type
 * stays text, which the validator refuses.
 *
 * @throws Refusal when it cannot be decoded
 */
export function readParameterValue(
  { style, form, shape }: Notation,
  parts: Parts,
  decode: (text: string) => string,
): ReadValue {
  if (style === 'json') return parseExactJson(Buffer.from(decode(parts as string)), shape);
  if (typeof parts === 'string') return readOne(shape, decode(parts));
  if (form === 'list' || form === 'one or list') {
    const texts = (parts as readonly string[]).map(decode);
    if (isNested(shape.items)) return parseExactJson(Buffer.from(`[${texts.join(',')}]`), shape);
    return { value: texts.map((text, index) => toValue(itemOf(shape, index), text)), tokens: texts };
  }
  return readMembers(
    shape,
    (parts as readonly (readonly [string, string])[]).map(([name, text]) => [decode(name), decode(text)]),
  );
}

/** @throws Refusal when a name occurs twice */
function readMembers(shape: Shape, members: readonly (readonly [name: string, text: string])[]): ReadValue {
  const names = new Set<string>();
  for (const [name] of members) {
    if (names.has(name)) throw new Refusal('INVALID_PARAMETER', `${name} is there twice`, { rule: 'once' });
    names.add(name);
  }
  return {
    value: Object.fromEntries(members.map(([name, text]) => [name, toValue(childOf(shape, name), text)])),
    tokens: Object.fromEntries(members),
  };
}

function readOne(shape: Shape, text: string): ReadValue {
  return { value: toValue(shape, text), tokens: text };
}

/** Converts text to the type of a shape, if it matches. */
export function toValue(shape: Shape | undefined, text: string): unknown {
  if (!shape) return text;
  const { types } = shape;
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
