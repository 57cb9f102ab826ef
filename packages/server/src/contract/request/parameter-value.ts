// Converts the text of a parameter to the types of its schema.
import { Refusal } from '../refusal/refusal';
import { parseExactJson } from '../json/exact-json';
import { mayBeArrayOrObject, type Notation } from '../operation/notation';
import { propertyShape, itemShape, type Shape } from '../document/shape';

export interface ReadValue {
  readonly value: unknown;
  /** The same structure with int64s as the text that was sent; undefined where the numbers of `value` are exact. */
  readonly tokens: unknown;
}

/** The text of a scalar, of the items of an array, or of the properties of an object; not decoded yet. */
export type SplitText = string | readonly string[] | readonly (readonly [name: string, text: string])[];

// RFC 8259 section 6. Other notations, such as 0x10 or 1_000, are no numbers.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text that does not match its type stays a string, which the validator refuses. @throws Refusal if it cannot be decoded */
export function readParameterValue(
  { style, form, shape }: Notation,
  parts: SplitText,
  decode: (text: string) => string,
): ReadValue {
  if (style === 'json') return parseExactJson(Buffer.from(decode(parts as string)), shape);
  if (typeof parts === 'string') return readOne(shape, decode(parts));
  if (form === 'array' || form === 'scalar or array') {
    const texts = (parts as readonly string[]).map(decode);
    // Items that are arrays or objects are JSON, which has commas of its own: put together again what was split.
    if (mayBeArrayOrObject(shape.items)) return parseExactJson(Buffer.from(`[${texts.join(',')}]`), shape);
    return { value: texts.map((text, index) => toValue(itemShape(shape, index), text)), tokens: texts };
  }
  return readMembers(
    shape,
    (parts as readonly (readonly [string, string])[]).map(([name, text]) => [decode(name), decode(text)]),
  );
}

function readMembers(shape: Shape, members: readonly (readonly [name: string, text: string])[]): ReadValue {
  const names = new Set<string>();
  for (const [name] of members) {
    if (names.has(name)) throw new Refusal('INVALID_PARAMETER', `${name} is there twice`, { rule: 'once' });
    names.add(name);
  }
  return {
    value: Object.fromEntries(members.map(([name, text]) => [name, toValue(propertyShape(shape, name), text)])),
    tokens: Object.fromEntries(members),
  };
}

function readOne(shape: Shape, text: string): ReadValue {
  return { value: toValue(shape, text), tokens: text };
}

export function toValue(shape: Shape | undefined, text: string): unknown {
  if (!shape) return text;
  const { types } = shape;
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
