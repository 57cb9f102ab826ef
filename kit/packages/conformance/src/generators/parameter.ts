import type { Draft, Expectation, Row } from './case';
import type { Operation, Parameter } from '../contract/model';
import { isGivenByReply } from '../contract/paging';
import { rulesOf, propertiesOf, typesOf } from '../contract/schema';
import { unionTypesOf } from '../contract/unions';
import type { Values, Variant } from '../values/variant';
import { DELIMITERS, scalarText, writeParameter, type ParameterText } from '../contract/serialization';
import { createQuerystringCases } from './querystring';
import { NOT_SENT, validRequest, baseOfParameter, isSendable, type Difference } from './valid-request';
import type { ImplementationDefined } from '../contract/standards';
import { interpretationsOf, isReadAs } from '../values/interpretations';
import { isJsonObject, Raw, toJson, writeJson, type Json, type JsonObject, type Wire } from '../wire/json';
import { malformedScalars, malformedEncodings } from './parameter-spellings';

export function createParameterCases(values: Values, operation: Operation): Draft[] {
  return [
    ...createUndeclaredCases(values, operation),
    ...operation.parameters.flatMap((parameter) =>
      parameter.content
        ? createQuerystringCases(values, operation, parameter, parameter.content)
        : createCasesOfParameter(values, operation, parameter),
    ),
  ];
}

function createUndeclaredCases(values: Values, operation: Operation): Draft[] {
  const createUndeclared = (label: string, difference: Difference): Draft => ({
    pointer: operation.pointer,
    label,
    request: validRequest(values, operation, difference),
    expect: 'accepted',
  });
  return [
    createUndeclared('an undeclared header', { headers: [['X-Undeclared', '1']] }),
    createUndeclared('an undeclared cookie', { cookies: ['undeclared=1'] }),
  ];
}

function createCasesOfParameter(values: Values, operation: Operation, parameter: Parameter): Draft[] {
  const { in: location, name, pointer, isRequired, schema } = parameter;
  const createTextCase = (
    { label, keyword, depth, level, implementationDefined, text, interpretation }: SentText,
    expect: Expectation,
  ): Draft => ({
    pointer,
    label: `${location} ${name}, ${label}`,
    keyword,
    depth,
    request: validRequest(values, operation, { parameters: new Map([[parameter, text]]) }),
    expect,
    level,
    implementationDefined,
    interpretation: interpretation === undefined ? undefined : { place: location, name, value: interpretation },
  });
  // A handler must receive the default of a parameter that is not sent.
  const [defaultValue] = isRequired ? [] : rulesOf(schema, 'default').map(({ value }) => value);
  const leftOut: SentText = { label: 'left out', text: NOT_SENT, interpretation: defaultValue };
  const canBeSent = ({ text }: SentText): boolean => !isSplitInPath(operation, parameter, text);
  return [
    ...validTexts(values, parameter)
      .filter(canBeSent)
      // A made-up cursor belongs to no page, so a server may refuse it.
      .map((sent) => createTextCase(sent, isGivenByReply(parameter) ? 'answered' : 'accepted')),
    ...invalidTexts(values, parameter)
      .filter(canBeSent)
      .map((sent) => createTextCase(sent, 'refused')),
    // Without a path parameter, it would be another path.
    ...(location === 'path' ? [] : [createTextCase(leftOut, isRequired ? 'refused' : 'accepted')]),
  ];
}

/** Whether a server would split the path in the wrong place: in `/{a}.{b}`, at a dot in the text of `a`. */
function isSplitInPath({ path }: Operation, { name, in: location }: Parameter, text: ParameterText): boolean {
  if (location !== 'path') return false;
  const template = `{${name}}`;
  const nextCharacter = path[path.indexOf(template) + template.length];
  // No text has a slash, so a slash always ends the parameter.
  if (nextCharacter === undefined || nextCharacter === '/') return false;
  return text.join('').includes(nextCharacter);
}

interface SentText extends Pick<Draft, 'label' | 'keyword' | 'depth' | 'level' | 'implementationDefined'> {
  readonly text: ParameterText;
  readonly interpretation?: Json | undefined;
}

function validTexts(values: Values, parameter: Parameter): SentText[] {
  if (parameter.skipReason) return fixtureTexts(values, { ...parameter, style: 'simple' });
  // By providing values, a team says that others are invalid, even if the contract allows them.
  const fixtures = fixtureTexts(values, parameter);
  return fixtures.length > 0 ? fixtures : createTexts(values, parameter, true);
}

function invalidTexts(values: Values, parameter: Parameter): SentText[] {
  const { schema, skipReason } = parameter;
  if (skipReason) return [];
  const base = schema.contract.skipped.attempt(() => baseOfParameter(values, parameter), undefined);
  const baseText = base === undefined ? NOT_SENT : writeParameter(parameter, base);
  const malformed: readonly Row<ParameterText>[] = [
    ...malformedScalars(parameter),
    ...malformedEncodings(parameter, baseText),
  ];
  return [...createTexts(values, parameter, false), ...malformed.map(toSentText)];
}

function toSentText([label, text, more]: Row<ParameterText>): SentText {
  return { label, text, ...more };
}

// Leaves out values that the style cannot express.
function createTexts(values: Values, parameter: Parameter, areValid: boolean): SentText[] {
  const { schema, style } = parameter;
  const variants = areValid ? values.validValues(schema) : values.invalidValues(schema);
  return variants.flatMap((variant) => {
    const sent = toSendable(parameter, variant);
    const interpretations = sent === undefined ? undefined : interpretationsIn(parameter, sent);
    if (sent === undefined || !isReadAs(values, schema, interpretations, areValid)) return [];
    const { label, keyword, depth } = variant;
    const rule = { label, keyword, depth, text: writeParameter(parameter, sent) };
    if (!areValid) return [rule];
    return [{ ...rule, interpretation: interpretations?.[0], implementationDefined: clauseOf(style, variant) }];
  });
}

// Clauses about JSON do not apply to other text, except for those about the range of numbers.
function clauseOf(style: string, { implementationDefined: clause }: Variant): ImplementationDefined | undefined {
  return style === 'json' || clause === 'RFC 8259 6' || clause?.startsWith('OpenAPI') === true ? clause : undefined;
}

// For a style that the suite cannot write, `simple` adds nothing to a text.
function fixtureTexts(values: Values, parameter: Parameter): SentText[] {
  return (values.fixtures.places.get(parameter.pointer) ?? []).map((value) => ({
    label: `as given, ${writeJson(value).slice(0, 40)}`,
    text: writeParameter(parameter, value),
  }));
}

function toSendable(parameter: Parameter, { value, keyword }: Variant): Wire | undefined {
  // JSON can express every value. Numbers are not expanded, since 1e400 would have too many digits.
  if (parameter.style === 'json') return isSendable(parameter, value) ? value : undefined;
  // Outside JSON, a value has no alternative spelling.
  if (keyword === 'spelling') return undefined;
  const plain = value instanceof Raw ? value : toJson(value);
  return canExpress(parameter, plain) && isSendable(parameter, plain) ? plain : undefined;
}

function interpretationsIn(parameter: Parameter, value: Wire): readonly Json[] | undefined {
  if (parameter.style === 'json') return [toJson(value)];
  if (parameter.mayBeEmpty && value === '') return undefined;
  return interpretationsOf(parameter.schema, value instanceof Raw ? value : toJson(value));
}

/** Whether a server reads the same value from the style (OpenAPI, Style Values). */
function canExpress(parameter: Parameter, value: Json | Raw): boolean {
  const { style, schema, isExploded } = parameter;
  const separator = findAmbiguousSeparator(parameter);
  // These styles name the members of an object, so the name of the parameter would be an undeclared member.
  const isForm = style === 'form' || style === 'cookie';
  const isObject = [...unionTypesOf(schema)].join() === 'object';
  const namesMembers = style === 'deepObject' || ((isForm || style === 'matrix') && isExploded && isObject);
  if (value instanceof Raw || typeof value !== 'object' || value === null) {
    // A server would split the only item of a list.
    const isSplit = typesOf(schema).has('array') && separator?.test(scalarText(value)) === true;
    return !namesMembers && !isSplit;
  }
  if (namesMembers && !isJsonObject(value)) return false;
  const members = Object.entries<Json>(value as JsonObject);
  // In an exploded form, each property is a query parameter, so an undeclared property is an undeclared parameter.
  const hasOwnParameters = isForm && isExploded && isJsonObject(value);
  const declared = propertiesOf(schema);
  if (hasOwnParameters && members.some(([name]) => !declared.has(name))) return false;
  const areUnambiguous = members.every(
    ([name, member]) =>
      // Other characters may separate or nest names.
      /^\w+$/.test(name) &&
      // No style has nested values.
      typeof member !== 'object' &&
      scalarText(member) !== '' &&
      !separator?.test(scalarText(member)),
  );
  // A list or an object without members is written like an empty text.
  return members.length > 0 && areUnambiguous;
}

// Characters that a server may read as a separator; undefined for a style that encodes them.
function findAmbiguousSeparator({ in: location, style, isExploded }: Parameter): RegExp | undefined {
  // White space around an item of a header is not part of the item.
  if (location === 'header') return /^\s|\s$|,/;
  if (style === 'cookie') return /,/;
  if (style === 'label' && isExploded) return /\./;
  const delimiter = DELIMITERS[style];
  return delimiter === undefined ? undefined : new RegExp(`[${decodeURIComponent(delimiter)}]`);
}
