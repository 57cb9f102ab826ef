// Other spellings of a parameter's text: the same value, and none.
import type { Parameter } from '../contract/model';
import { allBranchesOf, typesOf } from '../contract/schema';
import { Raw, writeJson, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';

type Spelled = readonly [label: string, text: ParameterText];

/** The same text in other signs (RFC 3986 section 2.1; a plus in a query is a space, as HTML forms have it). */
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

// RFC 8259 section 6, for numbers in a text as well.
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

/** What a lenient reader takes for a number or a truth. */
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

/** What readers of something like JSON take for it (RFC 8259). */
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

/** Texts that are no percent-encoded UTF-8. */
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

// With the other case of the digits (RFC 3986 section 6.2.2.1), and without what is encoded already.
function encodeUnreserved(text: string): string {
  return text.replace(/%[\da-f]{2}|[a-z\d]/gi, (sign) => (sign.length > 1 ? sign : percentEncode(sign).toUpperCase()));
}

/** A character as RFC 3986 section 2.1 encodes it. */
export function percentEncode(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16)}`;
}
