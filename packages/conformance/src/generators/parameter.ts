import type { Case, Expectation } from '../case';
import type { Operation, Parameter } from '../contract/model';
import { rulesOf } from '../contract/schema';
import type { Values } from '../values/variant';
import type { ParameterText } from '../wire/parameter';
import { badTexts, goodTexts, type SentText } from './parameter-texts';
import { validRequest, type Difference } from './valid-request';

/** Creates cases for every declared parameter, with valid and invalid values, and for undeclared parameters. */
export function createParameterCases(values: Values, operation: Operation): Case[] {
  const createCase = ({ pointer, label, covers }: Rule, expect: Expectation, difference: Difference): Case => ({
    operation: operation.id,
    class: 'parameter',
    pointer,
    label,
    covers,
    request: validRequest(values, operation, difference),
    expect,
  });
  const createUndeclaredCase = (label: string, expect: Expectation, difference: Difference): Case =>
    createCase({ pointer: operation.pointer, label, covers: [] }, expect, difference);
  // OpenAPI does not forbid undeclared query parameters: refusing them is a house rule.
  const createStrictCase = (label: string, difference: Difference): Case => ({
    ...createUndeclaredCase(label, 'refused', difference),
    level: 'strict',
  });
  return [
    createStrictCase('a query parameter that is not declared', { query: ['undeclared=1'] }),
    createStrictCase('an encoded one that is not declared', { query: ['%75ndeclared%5B%5D=1'] }),
    createStrictCase('one without a value that is not declared', { query: ['undeclared'] }),
    createStrictCase('one that is not declared, behind 1,100 ampersands', {
      query: [`${'&'.repeat(1_100)}undeclared=1`],
    }),
    createUndeclaredCase('a header that is not declared', 'accepted', { headers: [['X-Undeclared', '1']] }),
    createUndeclaredCase('a cookie that is not declared', 'accepted', { cookies: ['undeclared=1'] }),
    ...operation.parameters.flatMap((parameter) => {
      const createTextCase = (
        label: string,
        covers: readonly string[],
        expect: Expectation,
        text: ParameterText,
      ): Case => {
        const rule = { pointer: parameter.pointer, label: `${parameter.in} ${parameter.name}, ${label}`, covers };
        return createCase(rule, expect, { parameters: new Map([[parameter, text]]) });
      };
      const createSentCase = ({ label, covers, text, meaning, leftOpen }: SentText, expect: Expectation): Case => ({
        ...createTextCase(label, covers, expect, text),
        leftOpen,
        ...(meaning !== undefined && { meant: { place: parameter.in, name: parameter.name, value: meaning } }),
      });
      const [defaultValue] = parameter.isRequired ? [] : rulesOf(parameter.schema, 'default').map(({ value }) => value);
      const leftOut: Case = {
        ...createTextCase(
          'left out',
          [`${parameter.pointer} required`],
          parameter.isRequired ? 'refused' : 'accepted',
          {},
        ),
        ...(defaultValue !== undefined && {
          meant: { place: parameter.in, name: parameter.name, value: defaultValue },
        }),
      };
      return [
        ...withoutDelimiter(operation, parameter, goodTexts(values, parameter)).map((text) =>
          createSentCase(text, 'accepted'),
        ),
        ...withoutDelimiter(operation, parameter, badTexts(values, parameter)).map((text) =>
          createSentCase(text, 'refused'),
        ),
        ...(parameter.in === 'path' ? [] : [leftOut]),
      ];
    }),
  ];
}

type Rule = Pick<Case, 'pointer' | 'label' | 'covers'>;

// In `/{a}.{b}`, a value of `a` with a dot would be split at the wrong place: leave such texts out.
function withoutDelimiter(
  { path }: Operation,
  { name, in: place }: Parameter,
  texts: readonly SentText[],
): readonly SentText[] {
  const end = place === 'path' ? path[path.indexOf(`{${name}}`) + name.length + 2] : undefined;
  return end === undefined || end === '/' ? texts : texts.filter(({ text }) => text.path?.includes(end) !== true);
}
