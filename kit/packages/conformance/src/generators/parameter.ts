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
import { createMalformedScalars, createMalformedEncodings } from './parameter-spellings';

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
  const createUndeclaredCase = (label: string, difference: Difference): Draft => ({
    pointer: operation.pointer,
    label,
    request: validRequest(values, operation, difference),
    expect: 'accepted',
  });
  return [
    createUndeclaredCase('an undeclared header', { headers: [['X-Undeclared', '1']] }),
    createUndeclaredCase('an undeclared cookie', { cookies: ['undeclared=1'] }),
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
  // If a parameter is not sent, a handler must receive its default.
  const [defaultValue] = isRequired ? [] : rulesOf(schema, 'default').map(({ value }) => value);
  const omitted: SentText = { label: 'left out', text: NOT_SENT, interpretation: defaultValue };
  const canBeSent = ({ text }: SentText): boolean => !maySplitPath(operation, parameter, text);
  return [
    ...createValidTexts(values, parameter)
      .filter(canBeSent)
      // A server may refuse a generated cursor, since it does not belong to any page.
      .map((sent) => createTextCase(sent, isGivenByReply(parameter) ? 'answered' : 'accepted')),
    ...createInvalidTexts(values, parameter)
      .filter(canBeSent)
      .map((sent) => createTextCase(sent, 'refused')),
    // Without its parameter, the path would be a different one.
    ...(location === 'path' ? [] : [createTextCase(omitted, isRequired ? 'refused' : 'accepted')]),
  ];
}

/** Whether a server may split the path in the wrong place. In `/{a}.{b}`, a dot in `a` can have this effect. */
function maySplitPath({ path }: Operation, { name, in: location }: Parameter, text: ParameterText): boolean {
  if (location !== 'path') return false;
  const template = `{${name}}`;
  const nextCharacter = path[path.indexOf(template) + template.length];
  // A slash always ends the parameter, because no value contains one.
  if (nextCharacter === undefined || nextCharacter === '/') return false;
  return text.join('').includes(nextCharacter);
}

interface SentText extends Pick<Draft, 'label' | 'keyword' | 'depth' | 'level' | 'implementationDefined'> {
  readonly text: ParameterText;
  readonly interpretation?: Json | undefined;
}

function createValidTexts(values: Values, parameter: Parameter): SentText[] {
  // The suite cannot write this style, so fixtures are sent unchanged.
  if (parameter.skipReason) return createFixtureTexts(values, { ...parameter, style: 'simple' });
  // If a team provides fixtures, other values may be invalid, even though the contract allows them.
  const fixtures = createFixtureTexts(values, parameter);
  return fixtures.length > 0 ? fixtures : createTexts(values, parameter, true);
}

function createInvalidTexts(values: Values, parameter: Parameter): SentText[] {
  const { schema, skipReason } = parameter;
  if (skipReason) return [];
  const base = schema.contract.skipped.attempt(() => baseOfParameter(values, parameter), undefined);
  const baseText = base === undefined ? NOT_SENT : writeParameter(parameter, base);
  const malformedRows: readonly Row<ParameterText>[] = [
    ...createMalformedScalars(parameter),
    ...createMalformedEncodings(parameter, baseText),
  ];
  return [...createTexts(values, parameter, false), ...malformedRows.map(toSentText)];
}

function toSentText([label, text, more]: Row<ParameterText>): SentText {
  return { label, text, ...more };
}

function createTexts(values: Values, parameter: Parameter, areValid: boolean): SentText[] {
  const { schema, style } = parameter;
  const variants = areValid ? values.validValues(schema) : values.invalidValues(schema);
  return variants.flatMap((variant) => {
    const sent = toSentValue(parameter, variant);
    const interpretations = sent === undefined ? undefined : findInterpretations(parameter, sent);
    if (sent === undefined || !isReadAs(values, schema, interpretations, areValid)) return [];
    const { label, keyword, depth } = variant;
    const rule = { label, keyword, depth, text: writeParameter(parameter, sent) };
    if (!areValid) return [rule];
    return [{ ...rule, interpretation: interpretations?.[0], implementationDefined: clauseOf(style, variant) }];
  });
}

// Of the clauses about JSON, only the one about the range of numbers also applies to text that is not JSON.
function clauseOf(style: string, { implementationDefined: clause }: Variant): ImplementationDefined | undefined {
  return style === 'json' || clause === 'RFC 8259 6' || clause?.startsWith('OpenAPI') === true ? clause : undefined;
}

function createFixtureTexts(values: Values, parameter: Parameter): SentText[] {
  return (values.fixtures.places.get(parameter.pointer) ?? []).map((value) => ({
    label: `as given, ${writeJson(value).slice(0, 40)}`,
    text: writeParameter(parameter, value),
  }));
}

function toSentValue(parameter: Parameter, { value, keyword }: Variant): Wire | undefined {
  // JSON can express every value. Do not expand numbers, since 1e400 would have too many digits.
  if (parameter.style === 'json') return isSendable(parameter, value) ? value : undefined;
  // Only JSON has several spellings of a value.
  if (keyword === 'spelling') return undefined;
  const wireValue = value instanceof Raw ? value : toJson(value);
  return canExpress(parameter, wireValue) && isSendable(parameter, wireValue) ? wireValue : undefined;
}

function findInterpretations(parameter: Parameter, value: Wire): readonly Json[] | undefined {
  if (parameter.style === 'json') return [toJson(value)];
  if (parameter.mayBeEmpty && value === '') return undefined;
  return interpretationsOf(parameter.schema, value instanceof Raw ? value : toJson(value));
}

/** Whether a server can read the value unambiguously (OpenAPI, Style Values). */
function canExpress(parameter: Parameter, value: Json | Raw): boolean {
  const { style, schema, isExploded } = parameter;
  const separator = findAmbiguousSeparator(parameter);
  // Styles that name the members of an object cannot express any other value.
  const isForm = style === 'form' || style === 'cookie';
  const isObject = [...unionTypesOf(schema)].join() === 'object';
  const namesMembers = style === 'deepObject' || ((isForm || style === 'matrix') && isExploded && isObject);
  if (value instanceof Raw || typeof value !== 'object' || value === null) {
    // A server would split a single item at the separator.
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
      // A server may read other characters as separators.
      /^\w+$/.test(name) &&
      // No style can express nested values.
      typeof member !== 'object' &&
      scalarText(member) !== '' &&
      !separator?.test(scalarText(member)),
  );
  // An empty list or object would look like an empty string.
  return members.length > 0 && areUnambiguous;
}

// Returns undefined for a style that encodes its separator.
function findAmbiguousSeparator({ in: location, style, isExploded }: Parameter): RegExp | undefined {
  // Servers remove white space around the items of a header.
  if (location === 'header') return /^\s|\s$|,/;
  if (style === 'cookie') return /,/;
  if (style === 'label' && isExploded) return /\./;
  const delimiter = DELIMITERS[style];
  return delimiter === undefined ? undefined : new RegExp(`[${decodeURIComponent(delimiter)}]`);
}
