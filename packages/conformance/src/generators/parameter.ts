// Creates cases for the parameters of an operation.
import type { Case, Expectation } from '../case';
import type { Operation, Parameter } from '../contract/model';
import { rulesOf } from '../contract/schema';
import type { Values } from '../values/variant';
import type { ParameterText } from '../wire/parameter';
import { badTexts, goodTexts, type SentText } from './parameter-texts';
import { NOT_SENT, validRequest, type Difference } from './valid-request';

/** Creates cases for every declared parameter, with valid and invalid values, and for undeclared parameters. */
export function createParameterCases(values: Values, operation: Operation): Case[] {
  return [
    ...createUndeclaredCases(values, operation),
    ...operation.parameters.flatMap((parameter) => createCasesOfParameter(values, operation, parameter)),
  ];
}

interface ParameterCase {
  readonly rule: Pick<Case, 'pointer' | 'label' | 'keyword'>;
  readonly expect: Expectation;
  readonly difference: Difference;
}

function createCase(values: Values, operation: Operation, { rule, expect, difference }: ParameterCase): Case {
  return {
    operation: operation.id,
    class: 'parameter',
    pointer: rule.pointer,
    label: rule.label,
    ...(rule.keyword !== undefined && { keyword: rule.keyword }),
    request: validRequest(values, operation, difference),
    expect,
  };
}

function createUndeclaredCases(values: Values, operation: Operation): Case[] {
  const createUndeclared = (label: string, expect: Expectation, difference: Difference): Case =>
    createCase(values, operation, { rule: { pointer: operation.pointer, label }, expect, difference });
  // OpenAPI does not forbid undeclared query parameters: refusing them is a house rule.
  const createStrict = (label: string, query: string): Case => ({
    ...createUndeclared(label, 'refused', { query: [query] }),
    level: 'strict',
  });
  return [
    createStrict('a query parameter that is not declared', 'undeclared=1'),
    createStrict('an encoded one that is not declared', '%75ndeclared%5B%5D=1'),
    createStrict('one without a value that is not declared', 'undeclared'),
    // A parser may stop after 1,000 parameters.
    createStrict('one that is not declared, behind 1,100 ampersands', `${'&'.repeat(1_100)}undeclared=1`),
    createUndeclared('a header that is not declared', 'accepted', { headers: [['X-Undeclared', '1']] }),
    createUndeclared('a cookie that is not declared', 'accepted', { cookies: ['undeclared=1'] }),
  ];
}

function createCasesOfParameter(values: Values, operation: Operation, parameter: Parameter): Case[] {
  const { in: location, name, pointer, isRequired, schema } = parameter;
  const createTextCase = (sent: SentText, expect: Expectation): Case => ({
    ...createCase(values, operation, {
      rule: { pointer, label: `${location} ${name}, ${sent.label}`, keyword: sent.keyword },
      expect,
      difference: { parameters: new Map([[parameter, sent.text]]) },
    }),
    leftOpen: sent.leftOpen,
    ...(sent.meaning !== undefined && { meant: { place: location, name, value: sent.meaning } }),
  });
  // A handler must receive the default instead.
  const [defaultValue] = isRequired ? [] : rulesOf(schema, 'default').map(({ value }) => value);
  const leftOut: SentText = {
    label: 'left out',
    keyword: 'required',
    text: NOT_SENT,
    ...(defaultValue !== undefined && { meaning: defaultValue }),
  };
  const canBeSent = ({ text }: SentText): boolean => !isSplitInPath(operation, parameter, text);
  return [
    ...goodTexts(values, parameter)
      .filter(canBeSent)
      .map((sent) => createTextCase(sent, 'accepted')),
    ...badTexts(values, parameter)
      .filter(canBeSent)
      .map((sent) => createTextCase(sent, 'refused')),
    // Without a path parameter, the path would be another one.
    ...(location === 'path' ? [] : [createTextCase(leftOut, isRequired ? 'refused' : 'accepted')]),
  ];
}

/** Whether a server would split a path at the wrong place: in `/{a}.{b}`, at a dot in the text of `a`. */
function isSplitInPath({ path }: Operation, { name, in: location }: Parameter, text: ParameterText): boolean {
  if (location !== 'path') return false;
  const template = `{${name}}`;
  const nextCharacter = path[path.indexOf(template) + template.length];
  // No text has a slash, so that one always ends the parameter.
  if (nextCharacter === undefined || nextCharacter === '/') return false;
  return text.path?.includes(nextCharacter) === true;
}
