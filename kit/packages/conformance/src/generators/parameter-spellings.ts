// Respells the text of a parameter: with the same value, or malformed.
import type { Parameter } from '../contract/model';
import { unionTypesOf } from '../contract/unions';
import { Raw, writeJson, type Json } from '../wire/json';
import type { Row } from './case';
import { malformedBodiesOf } from './malformed-bodies';
import { writeParameter, type ParameterText } from '../contract/serialization';

type Spelling = Row<ParameterText>;

/**
 * Spellings of the same value: other percent encodings (RFC 3986 section 2.1), and plus for a space in a query, as in
 * HTML forms. Leaves out those that change nothing, and headers and cookies, which have no other spellings.
 */
export function respellValue(parameter: Parameter, value: Json): Spelling[] {
  if (!isInUri(parameter)) return [];
  const texts = writeParameter(parameter, value);
  const respell = (label: string, change: (text: string) => string): Spelling[] => {
    const changed = texts.map((text) => change(text));
    return changed.join() === texts.join() ? [] : [[label, changed]];
  };
  const isQuery = parameter.in === 'query';
  // In the style spaceDelimited, %20 separates items.
  const separatesBySpace = parameter.style === 'spaceDelimited';
  return [
    ...(isQuery && !separatesBySpace ? respell('a space as a plus', (text) => text.replaceAll('%20', '+')) : []),
    // The lookbehind excludes a letter or digit that belongs to a percent-encoding.
    ...respell('its last character encoded (RFC 3986 6.2.2.2)', (text) =>
      text.replace(/(?<!%[\da-f]?)[a-z\d]$/i, percentEncode),
    ),
    // A pair of a query begins with the name.
    ...(isQuery ? respell('its name encoded', (text) => text.replace(/^\w/, percentEncode)) : []),
    // Only for a query: the last letter or digit of a path is encoded above.
    ...(isQuery ? respell('each letter and digit encoded (RFC 3986 6.2.2.2)', encodeUnreserved) : []),
    ...(parameter.style === 'deepObject'
      ? respell('its brackets encoded', (text) => text.replace('[', '%5B').replace(']', '%5D'))
      : []),
  ];
}

// RFC 8259 does not allow these numbers, nor JSON Schema these booleans, but both apply only to JSON: some language
// writes each of them so.
const MAYBE_SCALARS = [
  ...['+1', '01', ' 1', '1 ', '1\n', '\u00a01', '1.', '.5', '1_0', '0x1', '0b1', '1n', '\uff11'],
  ...['TRUE', 'True', 'yes', 'on', 't', ' true'],
];
// Texts that lenient parsers accept as numbers.
const NOT_NUMBERS = ['1e', '--1', 'NaN', 'Infinity', '1,0'];

/** Texts that a lenient parser takes for a number or a boolean; empty when they may be valid values of another type. */
export function malformedScalars(parameter: Parameter): Spelling[] {
  const types = unionTypesOf(parameter.schema);
  const allowsOtherTexts = (['string', 'array', 'object', 'null'] as const).some((type) => types.has(type));
  if (parameter.style === 'json' || allowsOtherTexts) return [];
  // A header and a cookie lose spaces at the ends, hold ASCII only, and may be split at a comma.
  const canHaveAll = isInUri(parameter);
  const isBoolean = (text: string): boolean => /^ ?[a-z]+$/i.test(text) && !NOT_NUMBERS.includes(text);
  const wrongTexts = [...MAYBE_SCALARS, ...NOT_NUMBERS]
    .filter((text) => (isBoolean(text) ? types.has('boolean') : types.has('integer') || types.has('number')))
    .filter((text) => canHaveAll || /^[!-+\--~]+$/.test(text));
  // A Raw is written unchanged.
  return wrongTexts.map((text) => [
    `written ${JSON.stringify(text)}`,
    writeParameter(parameter, new Raw(text)),
    MAYBE_SCALARS.includes(text) ? { implementationDefined: 'OpenAPI 3.0.4, 3.1.1 Appendix B' } : {},
  ]);
}

export function malformedJson(parameter: Parameter, validValue: Json): Spelling[] {
  if (parameter.style !== 'json') return [];
  return malformedBodiesOf({ kind: 'json' }, writeJson(validValue)).flatMap(([label, text, more]): Spelling[] =>
    // Other characters are escaped, which makes some of the texts valid.
    typeof text === 'string' && /^[ -~]{1,1000}$/.test(text)
      ? [[`no JSON, ${label}`, writeParameter(parameter, new Raw(text)), { level: 'robust', ...more }]]
      : [],
  );
}

/** Malformed percent encodings, and encoded bytes that are not UTF-8, behind a valid text. */
export function malformedEncodings(parameter: Parameter, [firstText, ...otherTexts]: ParameterText): Spelling[] {
  if (!isInUri(parameter) || firstText === undefined) return [];
  const encodings: readonly (readonly [label: string, encoding: string])[] = [
    ['a percent sign alone', '%'],
    ['an invalid percent-encoding', '%zz'],
    ['an encoding cut short', '%4'],
    ['encoded, not UTF-8', '%ff'],
    ['encoded, UTF-8 cut short', '%c3'],
  ];
  // RFC 9112 section 3 only recommends to refuse an invalid target.
  const more = { implementationDefined: 'RFC 3986 2.1' } as const;
  return encodings.map(([label, encoding]) => [label, [`${firstText}${encoding}`, ...otherTexts], more]);
}

function isInUri({ in: location }: Parameter): boolean {
  return ['path', 'query', 'querystring'].includes(location);
}

// With upper-case hex digits (RFC 3986 section 6.2.2.1); leaves existing encodings alone.
function encodeUnreserved(text: string): string {
  return text.replace(/%[\da-f]{2}|[a-z\d]/gi, (sign) => (sign.length > 1 ? sign : percentEncode(sign).toUpperCase()));
}

/** Percent-encodes one ASCII character (RFC 3986 section 2.1). */
export function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
