import type { Parameter } from '../contract/model';
import { unionTypesOf } from '../contract/unions';
import { Raw } from '../wire/json';
import type { Row } from './case';
import { writeParameter, type ParameterText } from '../contract/serialization';

type Spelling = Row<ParameterText>;

const MALFORMED_NUMBERS = ['1e', '--1', 'NaN', 'Infinity'];

/** Returns malformed numbers. The list is empty if the strings may be valid values of another type. */
export function createMalformedScalars(parameter: Parameter): Spelling[] {
  const types = unionTypesOf(parameter.schema);
  const allowsOtherTexts = (['string', 'array', 'object', 'null', 'boolean'] as const).some((type) => types.has(type));
  if (parameter.style === 'json' || allowsOtherTexts) return [];
  if (!types.has('integer') && !types.has('number')) return [];
  return MALFORMED_NUMBERS.map((text) => [`written ${JSON.stringify(text)}`, writeParameter(parameter, new Raw(text))]);
}

/** Appends malformed percent-encodings, and encoded bytes that are not UTF-8, to a valid value. */
export function createMalformedEncodings(parameter: Parameter, [firstText, ...otherTexts]: ParameterText): Spelling[] {
  if (!isInUri(parameter) || firstText === undefined) return [];
  const encodings: readonly (readonly [label: string, encoding: string])[] = [
    ['an invalid percent-encoding', '%zz'],
    ['encoded, not UTF-8', '%ff'],
  ];
  // RFC 9112 section 3 only recommends that servers refuse an invalid target.
  const more = { implementationDefined: 'RFC 3986 2.1' } as const;
  return encodings.map(([label, encoding]) => [label, [`${firstText}${encoding}`, ...otherTexts], more]);
}

function isInUri({ in: location }: Parameter): boolean {
  return ['path', 'query', 'querystring'].includes(location);
}

/** Percent-encodes a character (RFC 3986 section 2.1). */
export function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
