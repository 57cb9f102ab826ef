// Respells the text of a parameter: with the same value, or malformed.
import type { Parameter } from '../contract/model';
import { allBranchesOf, typesOf } from '../contract/schema';
import { Raw, writeJson, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';

type Spelled = readonly [label: string, text: ParameterText];

/**
 * Spellings of the same value: other percent encodings (RFC 3986 section 2.1), and plus for a space in a query, as in
 * HTML forms.
 */
export function otherSpellings(parameter: Parameter, value: Json): Spelled[] {
  const { path, query } = writeParameter(parameter, value);
  const respell = (label: string, change: (text: string) => string): Spelled[] => {
    if (path !== undefined && change(path) !== path) return [[label, { path: change(path) }]];
    const changed = query?.map((pair) => change(pair));
    return changed !== undefined && changed.join() !== query?.join() ? [[label, { query: changed }]] : [];
  };
  const isPlain = parameter.style !== 'spaceDelimited';
  return [
    ...(isPlain && query ? respell('a space as a plus', (text) => text.replaceAll('%20', '+')) : []),
    ...respell('its last sign encoded', (text) => text.replace(/(?<!%[\da-f]?)[a-z\d]$/i, percentEncode)),
    ...(query ? respell('its name encoded', (text) => text.replace(/^\w/, percentEncode)) : []),
    ...(query ? respell('each letter and digit encoded (RFC 3986 6.2.2.2)', encodeUnreserved) : []),
    ...(parameter.style === 'deepObject'
      ? respell('its brackets encoded', (text) => text.replace('[', '%5B').replace(']', '%5D'))
      : []),
  ];
}

// Not numbers by RFC 8259 section 6, but lenient parsers accept them.
const NOT_NUMBERS = [
  '+1',
  '01',
  '1.',
  '.5',
  '1_0',
  '0x1',
  '0b1',
  '1n',
  '1e',
  '--1',
  'NaN',
  'Infinity',
  '\uff11',
  '1,0',
];
const PADDED = [' 1', '1 ', '1\n', '\u00a01'];

/** Texts that a lenient parser takes for a number or a boolean. */
export function wrongScalars(parameter: Parameter): Spelled[] {
  const types = new Set(allBranchesOf(parameter.schema).flatMap((branch) => [...typesOf(branch)]));
  if (parameter.style === 'json' || ['string', 'array', 'object', 'null'].some((type) => types.has(type as 'string')))
    return [];
  const isNumber = types.has('integer') || types.has('number');
  const isInUri = parameter.in === 'path' || parameter.in === 'query';
  const wrong = [
    ...(isNumber ? NOT_NUMBERS.filter((text) => isInUri || (/^[!-~]+$/.test(text) && text !== '1,0')) : []),
    ...(isNumber && isInUri ? PADDED : []),
    ...(types.has('boolean') ? ['TRUE', 'True', 'yes', 'on', 't', ' true'].slice(0, isInUri ? 6 : 5) : []),
  ];
  return wrong.map((text) => [`written ${JSON.stringify(text)}`, writeParameter(parameter, new Raw(text))]);
}

/** Malformed JSON that a lenient parser accepts (RFC 8259). */
export function malformedJson(parameter: Parameter, base: Json): Spelled[] {
  if (parameter.style !== 'json') return [];
  const good = writeJson(base);
  const wrong: readonly (readonly [string, string])[] = [
    ['cut before its last sign', good.slice(0, -1)],
    ['text after the value', `${good}x`],
    ['single quotes', "'a'"],
    ['a comma at the end', '[1,]'],
    ['a name without quotes', '{a:1}'],
    ['a leading zero', '01'],
    ['NaN', 'NaN'],
  ];
  return wrong.map(([label, text]) => [`no JSON, ${label}`, writeParameter(parameter, new Raw(text))]);
}

/** Texts with malformed percent encodings, or whose bytes are not UTF-8. */
export function wrongEncodings(parameter: Parameter, { path, query }: ParameterText): Spelled[] {
  const wrong: readonly (readonly [string, string])[] = [
    ['a percent sign alone', '%'],
    ['an encoding that is none', '%zz'],
    ['an encoding cut short', '%4'],
    ['encoded, not UTF-8', '%ff'],
    ['encoded, UTF-8 cut short', '%c3'],
  ];
  if (parameter.in === 'path' && path !== undefined)
    return wrong.map(([label, text]) => [label, { path: `${path}${text}` }]);
  const [first, ...others] = query ?? [];
  if (first === undefined) return [];
  return wrong.map(([label, text]) => [label, { query: [`${first}${text}`, ...others] }]);
}

// Encodes letters and digits with upper-case hex digits (RFC 3986 section 6.2.2.1), and leaves existing encodings
// alone.
function encodeUnreserved(text: string): string {
  return text.replace(/%[\da-f]{2}|[a-z\d]/gi, (sign) => (sign.length > 1 ? sign : percentEncode(sign).toUpperCase()));
}

/** Percent-encodes one ASCII character (RFC 3986 section 2.1). */
export function percentEncode(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16)}`;
}
