import {
  ExpectedError,
  itemShape,
  JsonError,
  mayBeArrayOrObject,
  parseExactJson,
  propertyShape,
  readScalar,
  setMember,
  type Notation,
  type Shape,
  type Style,
} from '@contract-kit/contract';
import { shortenPointer, toFaultRefusal, toRequestFault, type Refusal, type RefusalKind } from '../errors/refusal';

// The delimiters of the styles that do not use commas.
const DELIMITERS: Readonly<Partial<Record<Style, RegExp>>> = {
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7C/i,
};

/**
 * Splits a parameter's text into items or pairs (RFC 6570, and OpenAPI's table of styles). They are decoded later, since an encoded
 * delimiter belongs to a value. In the style simple, `3,4` are items; `r,1,g,2` and exploded `r=1,g=2` are pairs.
 *
 * @throws UnreadableText if the text does not follow the style
 */
export function splitStyle(name: string, { style, explode, form }: Notation, text: string): SplitText {
  switch (style) {
    case 'label':
      return split(form, strip('.', text), explode ? '.' : ',', explode);
    case 'matrix':
      return splitMatrix(name, { form, explode }, text);
    default:
      return split(form, text, DELIMITERS[style] ?? ',', explode && style === 'simple');
  }
}

// Splits `;id=3,4` or exploded `;id=3;id=4` into items, and `;color=r,1,g,2` or exploded `;r=1;g=2` into pairs.
function splitMatrix(name: string, { form, explode }: Pick<Notation, 'form' | 'explode'>, text: string): SplitText {
  const rest = strip(';', text);
  if (form === 'object' && explode) return split(form, rest, ';', true);
  if (form === 'array' && explode) return rest.split(';').map((part) => stripName(name, part));
  return split(form, stripName(name, rest), ',', false);
}

// RFC 6570 section 3.2.7: an empty value has no equals sign.
function stripName(name: string, part: string): string {
  return part === name ? '' : strip(`${name}=`, part);
}

function split(form: Notation['form'], text: string, delimiter: string | RegExp, hasEqualsSigns: boolean): SplitText {
  if (form === 'scalar') return text;
  const parts = text.split(delimiter);
  if (form === 'array') return parts;
  if (hasEqualsSigns) {
    return parts.map((part) => {
      const separator = part.indexOf('=');
      // In the style matrix, a name alone has an empty value.
      if (separator === -1 && delimiter === ';') return [part, ''] as const;
      if (separator === -1) throw createStyleError();
      return [part.slice(0, separator), part.slice(separator + 1)] as const;
    });
  }
  // Names and values alternate.
  if (parts.length % 2 === 1) throw createStyleError();
  return Array.from(
    { length: parts.length / 2 },
    (_, index) => [String(parts[2 * index]), String(parts[2 * index + 1])] as const,
  );
}

function strip(prefix: string, text: string): string {
  if (!text.startsWith(prefix)) throw createStyleError();
  return text.slice(prefix.length);
}

function createStyleError(): UnreadableText {
  return new UnreadableText('style', 'must be written in the style that the contract declares');
}

/** The text of a scalar, the items of an array, or the properties of an object; not decoded yet. */
export type SplitText = string | readonly string[] | readonly (readonly [name: string, text: string])[];

/** Reads a value. Text of the wrong type stays a string, which the validator refuses. @throws UnreadableText, JsonError */
export function readParameterValue(
  { style, form, shape }: Notation,
  parts: SplitText,
  decode: (text: string) => string,
): unknown {
  if (style === 'json') return parseExactJson(decode(parts as string), shape);
  if (typeof parts === 'string') {
    const value = readScalar(shape, decode(parts));
    if (form !== 'scalar or array' || typeof value !== 'string' || shape.types.has('string')) return value;
    // If a string is not a valid scalar, treat it as a one-item array.
    parts = [parts];
  }
  if (form === 'array' || form === 'scalar or array') {
    const texts = (parts as readonly string[]).map(decode);
    // Items that are arrays or objects are JSON, which was also split at its own commas.
    if (mayBeArrayOrObject(shape.items)) return parseExactJson(`[${texts.join(',')}]`, shape);
    return texts.map((text, index) => readScalar(itemShape(shape, index), text));
  }
  return readMembers(
    shape,
    (parts as readonly (readonly [string, string])[]).map(([name, text]) => [decode(name), decode(text)]),
  );
}

function readMembers(shape: Shape, members: readonly (readonly [name: string, text: string])[]): object {
  const names = new Set<string>();
  for (const [name] of members) {
    if (names.has(name)) throw createDuplicateError(`must not have ${shortenPointer(name)} twice`);
    names.add(name);
  }
  return readObject(members.map(([name, text]) => [name, readScalar(propertyShape(shape, name), text)]));
}

export function readObject(members: readonly (readonly [name: string, member: unknown])[]): object {
  const object = {};
  for (const [name, member] of members) setMember(object, name, member);
  return object;
}

/** Thrown for text that cannot be decoded. `toFieldRefusal` adds the name of the field. */
export class UnreadableText extends ExpectedError {
  readonly rule: string;

  constructor(rule: string, problem: string) {
    super(problem);
    this.rule = rule;
  }
}

export function createDuplicateError(problem = 'must not be sent twice'): UnreadableText {
  return new UnreadableText('once', problem);
}

/**
 * Turns an error about unreadable text into a refusal. Returns any other error unchanged.
 *
 * @param place the pointer, without any names chosen by the client
 */
export function toFieldRefusal<T>(cause: T, pointer: string, place = pointer): T | Refusal {
  const refuse = (rule: string, problem: string, kind?: RefusalKind) =>
    toFaultRefusal([{ ...toRequestFault(pointer, rule, problem), place }], kind);
  if (cause instanceof UnreadableText) return refuse(cause.rule, cause.message);
  if (!(cause instanceof JsonError)) return cause;
  const { reason, message } = cause;
  switch (reason) {
    case 'utf8':
      return refuse('utf8', 'must be UTF-8', 'INVALID_UTF8');
    case 'unicode':
      return refuse('unicode', 'must be Unicode text, without unpaired surrogates', 'MALFORMED_JSON');
    case 'depth':
      return refuse('depth', 'is nested too deeply');
    case 'syntax':
    case 'overflow': {
      const sentence = pointer === '/body' ? message : `request${shortenPointer(pointer)}: ${message}`;
      const fault = { pointer: shortenPointer(pointer), place, rule: JSON_RULES[reason], message: sentence };
      return toFaultRefusal([fault], 'MALFORMED_JSON');
    }
  }
}

const JSON_RULES = { syntax: 'json', overflow: 'double' } as const;
