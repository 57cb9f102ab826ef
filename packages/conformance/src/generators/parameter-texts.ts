import type { Parameter } from '../contract/model';
import { allBranchesOf, propertiesOf, typesOf } from '../contract/schema';
import type { LeftOpen } from '../left-open';
import { meaningsOf } from '../values/meanings';
import { fits, type Values, type Variant } from '../values/variant';
import { isJsonObject, Raw, toJson, writeJson, type Json, type JsonObject, type Wire } from '../wire/json';
import { scalarText, writeParameter, type ParameterText } from '../wire/parameter';
import { malformedJson, wrongScalars, otherSpellings, wrongEncodings } from './parameter-spellings';
import { baseOfParameter } from './valid-request';

/** The text that a request sends for a parameter. */
export interface SentText {
  readonly label: string;
  readonly covers: readonly string[];
  readonly text: ParameterText;
  /** The value that a handler must receive. */
  readonly meaning?: Json;
  /** The clause of a standard that lets a server accept or refuse it. */
  readonly leftOpen?: LeftOpen | undefined;
}

/** Makes valid texts: one for each valid value, and other spellings of them. */
export function goodTexts(values: Values, parameter: Parameter): SentText[] {
  if (parameter.untriable) return givenTexts(values, parameter);
  const made = values.goodValues(parameter.schema).flatMap((variant) => {
    const value = toSent(parameter, variant);
    const [meaning] = value === undefined ? [] : meaningsIn(parameter, value);
    if (value === undefined || meaning === undefined || !fits(values, parameter.schema, meaning)) return [];
    const { label, covers } = variant;
    // A clause about JSON does not apply to other texts.
    const isOpen = parameter.style === 'json' || variant.leftOpen?.startsWith('OpenAPI') === true;
    const leftOpen = isOpen ? variant.leftOpen : undefined;
    return [{ label, covers, leftOpen, text: writeParameter(parameter, value), meaning }];
  });
  const shown = parameter.schema.contract.untried.attempt(() => baseOfParameter(values, parameter), undefined);
  const [base] = shown === undefined ? [] : meaningsIn(parameter, shown);
  const spelled = [...made.map(({ meaning }) => meaning), ...(base === undefined ? [] : [base])].flatMap((value) =>
    otherSpellings(parameter, value).map(([label, spelling]) => ({
      label,
      covers: [],
      text: spelling,
      meaning: value,
    })),
  );
  return [...made, ...new Map(spelled.map((each) => [each.label, each])).values()];
}

/** Makes texts that are invalid however a server reads them: `1` may be a number or a string. */
export function badTexts(values: Values, parameter: Parameter): SentText[] {
  if (parameter.untriable) return [];
  const made = values.badValues(parameter.schema).flatMap((variant) => {
    const value = toSent(parameter, variant);
    const meanings = value === undefined ? undefined : knownMeanings(parameter, value);
    if (value === undefined || meanings === undefined) return [];
    if (meanings.some((meaning) => fits(values, parameter.schema, meaning))) return [];
    return [{ label: variant.label, covers: variant.covers, text: writeParameter(parameter, value) }];
  });
  const base = parameter.schema.contract.untried.attempt(() => baseOfParameter(values, parameter), undefined);
  const text = base === undefined ? {} : writeParameter(parameter, base);
  const others = [
    ...wrongScalars(parameter),
    ...(base === undefined ? [] : malformedJson(parameter, base)),
    ...wrongEncodings(parameter, text),
    ...repeatedTexts(parameter, text),
  ];
  return [...made, ...others.map(([label, wrong]) => ({ label, covers: [], text: wrong }))];
}

/** The texts from `--values`, sent as they are, for a parameter whose style the suite cannot write. */
function givenTexts(values: Values, parameter: Parameter): SentText[] {
  return (values.given.places.get(parameter.pointer) ?? []).map((value) => ({
    label: `as given, ${writeJson(value).slice(0, 40)}`,
    covers: [],
    text: writeParameter({ ...parameter, style: 'simple' }, value),
  }));
}

// Servers bound the length of a path and of a header.
const MAX_LENGTH = 4_000;

/** The value that can be sent; undefined when this style or location cannot express it. */
function toSent(parameter: Parameter, { value, keyword }: Variant): Wire | undefined {
  // Never expand the value: a number such as 1e400 would have too many digits.
  if (parameter.style === 'json') return isSendable(parameter, value) ? value : undefined;
  const plain = value instanceof Raw ? value : toJson(value);
  if (keyword === 'spelling' && !(value instanceof Raw)) return undefined;
  return hasForm(parameter, plain) && isSendable(parameter, plain) ? plain : undefined;
}

function knownMeanings(parameter: Parameter, value: Wire): readonly Json[] | undefined {
  if (parameter.style === 'json') return [toJson(value)];
  return meaningsOf(parameter.schema, value instanceof Raw ? value : toJson(value));
}

function meaningsIn(parameter: Parameter, value: Wire): readonly Json[] {
  return knownMeanings(parameter, value) ?? [];
}

// A path cannot hold an empty segment, dots alone or a slash; a header holds only printable ASCII.
function isSendable(parameter: Parameter, value: Wire): boolean {
  const sent = textOf(parameter, value);
  if (parameter.in === 'query' || parameter.in === 'cookie') return sent !== '';
  if (parameter.in === 'path')
    return !/^[.;]*$|^\.\.?$|\//.test(sent) && !sent.includes('%00') && sent.length < MAX_LENGTH;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(sent) && sent.length < MAX_LENGTH;
}

// OpenAPI, Style Values: nested values have no style, an empty list is an empty text, and special characters in names
// are ambiguous.
function hasForm(parameter: Parameter, value: Json | Raw): boolean {
  if (value instanceof Raw || typeof value !== 'object' || value === null) {
    const isOneOfList =
      typesOf(parameter.schema).has('array') && delimiterOf(parameter)?.test(scalarText(value)) === true;
    return parameter.style !== 'deepObject' && !isOneOfList;
  }
  const members = Object.entries<Json>(value as JsonObject);
  if (parameter.style === 'deepObject' && !isJsonObject(value)) return false;
  const known = propertiesOf(parameter.schema);
  // An undeclared property would be an undeclared query parameter.
  const isSpread = parameter.style === 'form' && parameter.isExploded && isJsonObject(value);
  if (isSpread && members.some(([name]) => !known.has(name))) return false;
  return (
    members.length > 0 &&
    members.every(
      ([name, member]) =>
        /^\w+$/.test(name) &&
        typeof member !== 'object' &&
        scalarText(member) !== '' &&
        !delimiterOf(parameter)?.test(scalarText(member)),
    )
  );
}

// The separator of a style, where the same character inside an item would be ambiguous.
function delimiterOf({ in: place, style, isExploded }: Parameter): RegExp | undefined {
  if (place === 'header') return /^\s|\s$|,/;
  if (style === 'label' && isExploded) return /\./;
  if (style === 'spaceDelimited') return / /;
  return style === 'pipeDelimited' ? /\|/ : undefined;
}

function textOf(parameter: Parameter, value: Wire): string {
  try {
    const { path, query, header, cookie } = writeParameter(parameter, value);
    return path ?? query?.join('&') ?? header?.[1] ?? cookie ?? '';
  } catch (error) {
    // An unpaired surrogate has no UTF-8.
    if (error instanceof URIError) return '';
    throw error;
  }
}

// A single value that is given twice.
function repeatedTexts(
  { in: place, schema, style }: Parameter,
  { query, cookie }: ParameterText,
): [string, ParameterText][] {
  const types = new Set(allBranchesOf(schema).flatMap((branch) => [...typesOf(branch)]));
  if (style !== 'json' && (types.has('array') || types.has('object'))) return [];
  if (place === 'query' && query) return [['given twice', { query: [...query, ...query] }]];
  return place === 'cookie' && cookie !== undefined ? [['given twice', { cookie: `${cookie}; ${cookie}` }]] : [];
}
