import type { Case, Expectation } from '../case';
import type { Operation, Parameter } from '../contract/model';
import { rulesOf } from '../contract/schema';
import type { Values } from '../values/variant';
import type { ParameterText } from '../wire/parameter';
import { badTexts, goodTexts, type SentText } from './parameter-texts';
import { validRequest, type Difference } from './valid-request';

/** Every declared parameter, right and wrong, and parameters that are not declared. */
export function parameter(values: Values, operation: Operation): Case[] {
  const made = ({ pointer, label, covers }: Rule, expect: Expectation, difference: Difference): Case => ({
    operation: operation.id,
    class: 'parameter',
    pointer,
    label,
    covers,
    request: validRequest(values, operation, difference),
    expect,
  });
  const undeclared = (label: string, expect: Expectation, difference: Difference): Case =>
    made({ pointer: operation.pointer, label, covers: [] }, expect, difference);
  // OpenAPI does not forbid them.
  const house = (label: string, difference: Difference): Case => ({
    ...undeclared(label, 'refused', difference),
    level: 'strict',
  });
  return [
    house('a query parameter that is not declared', { query: ['undeclared=1'] }),
    house('an encoded one that is not declared', { query: ['%75ndeclared%5B%5D=1'] }),
    house('one without a value that is not declared', { query: ['undeclared'] }),
    house('one that is not declared, behind 1,100 ampersands', {
      query: [`${'&'.repeat(1_100)}undeclared=1`],
    }),
    undeclared('a header that is not declared', 'accepted', { headers: [['X-Undeclared', '1']] }),
    undeclared('a cookie that is not declared', 'accepted', { cookies: ['undeclared=1'] }),
    ...operation.parameters.flatMap((one) => {
      const changed = (label: string, covers: readonly string[], expect: Expectation, text: ParameterText): Case => {
        const rule = { pointer: one.pointer, label: `${one.in} ${one.name}, ${label}`, covers };
        return made(rule, expect, { parameters: new Map([[one, text]]) });
      };
      const sent = ({ label, covers, text, meaning, leftOpen }: SentText, expect: Expectation): Case => ({
        ...changed(label, covers, expect, text),
        leftOpen,
        ...(meaning !== undefined && { meant: { place: one.in, name: one.name, value: meaning } }),
      });
      const [usual] = one.isRequired ? [] : rulesOf(one.schema, 'default').map(({ value }) => value);
      const leftOut: Case = {
        ...changed('left out', [`${one.pointer} required`], one.isRequired ? 'refused' : 'accepted', {}),
        ...(usual !== undefined && { meant: { place: one.in, name: one.name, value: usual } }),
      };
      return [
        ...tellable(operation, one, goodTexts(values, one)).map((text) => sent(text, 'accepted')),
        ...tellable(operation, one, badTexts(values, one)).map((text) => sent(text, 'refused')),
        ...(one.in === 'path' ? [] : [leftOut]),
      ];
    }),
  ];
}

type Rule = Pick<Case, 'pointer' | 'label' | 'covers'>;

// What follows a parameter in its segment ends it, wherever it stands.
function tellable(
  { path }: Operation,
  { name, in: place }: Parameter,
  texts: readonly SentText[],
): readonly SentText[] {
  const end = place === 'path' ? path[path.indexOf(`{${name}}`) + name.length + 2] : undefined;
  return end === undefined || end === '/' ? texts : texts.filter(({ text }) => text.path?.includes(end) !== true);
}
