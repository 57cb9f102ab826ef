import type { Parameter } from '../contract/model';
import { everyBranch, propertiesOf, typesOf } from '../contract/schema';
import type { LeftOpen } from '../left-open';
import { meaningsOf } from '../values/meanings';
import { fits, type Values, type Variant } from '../values/variant';
import { isJsonObject, Raw, toJson, writeJson, type Json, type JsonObject, type Wire } from '../wire/json';
import { text, writeParameter, type ParameterText } from '../wire/parameter';
import { malformedJson, notNumbers, otherSpellings, wrongEncodings } from './parameter-spellings';
import { baseOfParameter } from './valid-request';

/** What a request has for a parameter. */
export interface SentText {
  readonly label: string;
  readonly covers: readonly string[];
  readonly text: ParameterText;
  /** What a handler gets for it. */
  readonly meaning?: Json;
  /** The clause that lets a server take it, and refuse it. */
  readonly leftOpen?: LeftOpen | undefined;
}

/** Texts that are right, each of another value or in another spelling. */
export function goodTexts(values: Values, one: Parameter): SentText[] {
  if (one.untriable) return givenTexts(values, one);
  const made = values.goodValues(one.schema).flatMap((variant) => {
    const value = toSent(one, variant);
    const [meaning] = value === undefined ? [] : meaningsIn(one, value);
    if (value === undefined || meaning === undefined || !fits(values, one.schema, meaning)) return [];
    const { label, covers } = variant;
    // What JSON leaves open, a text that is no JSON does not.
    const isOpen = one.style === 'json' || variant.leftOpen?.startsWith('OpenAPI') === true;
    const leftOpen = isOpen ? variant.leftOpen : undefined;
    return [{ label, covers, leftOpen, text: writeParameter(one, value), meaning }];
  });
  const shown = one.schema.contract.untried.attempt(() => baseOfParameter(values, one), undefined);
  const [base] = shown === undefined ? [] : meaningsIn(one, shown);
  const spelled = [...made.map(({ meaning }) => meaning), ...(base === undefined ? [] : [base])].flatMap((value) =>
    otherSpellings(one, value).map(([label, spelling]) => ({ label, covers: [], text: spelling, meaning: value })),
  );
  return [...made, ...new Map(spelled.map((each) => [each.label, each])).values()];
}

/** Texts that mean nothing right, whoever reads them. */
export function badTexts(values: Values, one: Parameter): SentText[] {
  if (one.untriable) return [];
  const made = values.badValues(one.schema).flatMap((variant) => {
    const value = toSent(one, variant);
    const meanings = value === undefined ? undefined : knownMeanings(one, value);
    if (value === undefined || meanings === undefined) return [];
    if (meanings.some((meaning) => fits(values, one.schema, meaning))) return [];
    return [{ label: variant.label, covers: variant.covers, text: writeParameter(one, value) }];
  });
  const base = one.schema.contract.untried.attempt(() => baseOfParameter(values, one), undefined);
  const text = base === undefined ? {} : writeParameter(one, base);
  const others = [
    ...notNumbers(one),
    ...(base === undefined ? [] : malformedJson(one, base)),
    ...wrongEncodings(one, text),
    ...twice(one, text),
  ];
  return [...made, ...others.map(([label, wrong]) => ({ label, covers: [], text: wrong }))];
}

/** What the team gives for one that nobody here can write: texts, as they stand. */
function givenTexts(values: Values, one: Parameter): SentText[] {
  return (values.given.places.get(one.pointer) ?? []).map((value) => ({
    label: `as given, ${writeJson(value).slice(0, 40)}`,
    covers: [],
    text: writeParameter({ ...one, style: 'simple' }, value),
  }));
}

// Of a path or a header, which servers bound; a query may be longer.
const MAX_LENGTH = 4_000;

/** The value as it can be sent; undefined where it cannot. */
function toSent(one: Parameter, { value, keyword }: Variant): Wire | undefined {
  // Nothing is read twice, so that an endless number is no text.
  if (one.style === 'json') return isSendable(one, value) ? value : undefined;
  const plain = value instanceof Raw ? value : toJson(value);
  if (keyword === 'spelling' && !(value instanceof Raw)) return undefined;
  return hasForm(one, plain) && isSendable(one, plain) ? plain : undefined;
}

function knownMeanings(one: Parameter, value: Wire): readonly Json[] | undefined {
  if (one.style === 'json') return [toJson(value)];
  return meaningsOf(one.schema, value instanceof Raw ? value : toJson(value));
}

function meaningsIn(one: Parameter, value: Wire): readonly Json[] {
  return knownMeanings(one, value) ?? [];
}

// A header and a path cannot say everything; a path cannot be empty.
function isSendable(one: Parameter, value: Wire): boolean {
  const sent = textOf(one, value);
  if (one.in === 'query' || one.in === 'cookie') return sent !== '';
  if (one.in === 'path') return !/^[.;]*$|^\.\.?$|\//.test(sent) && !sent.includes('%00') && sent.length < MAX_LENGTH;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(sent) && sent.length < MAX_LENGTH;
}

// OpenAPI, Style Values: what is nested has none, an empty list is an empty text, and odd names are other styles.
function hasForm(one: Parameter, value: Json | Raw): boolean {
  if (value instanceof Raw || typeof value !== 'object' || value === null) {
    const isOneOfList = typesOf(one.schema).has('array') && delimiterOf(one)?.test(text(value)) === true;
    return one.style !== 'deepObject' && !isOneOfList;
  }
  const members = Object.entries<Json>(value as JsonObject);
  if (one.style === 'deepObject' && !isJsonObject(value)) return false;
  const known = propertiesOf(one.schema);
  // What is not named would be another parameter.
  const isSpread = one.style === 'form' && one.isExploded && isJsonObject(value);
  if (isSpread && members.some(([name]) => !known.has(name))) return false;
  return (
    members.length > 0 &&
    members.every(
      ([name, member]) =>
        /^\w+$/.test(name) &&
        typeof member !== 'object' &&
        text(member) !== '' &&
        !delimiterOf(one)?.test(text(member)),
    )
  );
}

// What divides the parts, where it cannot be told from the same sign inside of one.
function delimiterOf({ in: place, style, isExploded }: Parameter): RegExp | undefined {
  if (place === 'header') return /^\s|\s$|,/;
  if (style === 'label' && isExploded) return /\./;
  if (style === 'spaceDelimited') return / /;
  return style === 'pipeDelimited' ? /\|/ : undefined;
}

function textOf(one: Parameter, value: Wire): string {
  try {
    const { path, query, header, cookie } = writeParameter(one, value);
    return path ?? query?.join('&') ?? header?.[1] ?? cookie ?? '';
  } catch (error) {
    // A surrogate alone has no encoding.
    if (error instanceof URIError) return '';
    throw error;
  }
}

function twice({ in: place, schema, style }: Parameter, { query, cookie }: ParameterText): [string, ParameterText][] {
  const types = new Set(everyBranch(schema).flatMap((branch) => [...typesOf(branch)]));
  if (style !== 'json' && (types.has('array') || types.has('object'))) return [];
  if (place === 'query' && query) return [['given twice', { query: [...query, ...query] }]];
  return place === 'cookie' && cookie !== undefined ? [['given twice', { cookie: `${cookie}; ${cookie}` }]] : [];
}
