import type { Case, Expectation } from '../case';
import type { Operation, Parameter } from '../contract/model';
import { typesOf } from '../contract/schema';
import { fits, type Values, type Variant } from '../values/variant';
import { isJsonObject, toJson, type Json, type JsonObject } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';
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
  return [
    undeclared('a query parameter that is not declared', 'refused', { query: ['undeclared=1'] }),
    undeclared('an encoded one that is not declared', 'refused', { query: ['%75ndeclared%5B%5D=1'] }),
    undeclared('one without a value that is not declared', 'refused', { query: ['undeclared'] }),
    undeclared('one that is not declared, behind 1,100 ampersands', 'refused', {
      query: [`${'&'.repeat(1_100)}undeclared=1`],
    }),
    undeclared('a header that is not declared', 'accepted', { headers: [['X-Undeclared', '1']] }),
    ...operation.parameters.flatMap((one) => {
      const changed = (label: string, covers: readonly string[], expect: Expectation, text: ParameterText): Case => {
        const rule = { pointer: one.pointer, label: `${one.in} ${one.name}, ${label}`, covers };
        return made(rule, expect, { parameters: new Map([[one, text]]) });
      };
      const valued = ({ label, value, covers }: Variant, expect: Expectation): Case =>
        changed(label, covers, expect, writeParameter(one, toJson(value)));
      const leftOut = changed('left out', [`${one.pointer} required`], one.isRequired ? 'refused' : 'accepted', {});
      return [
        ...good(values, one).map((variant) => valued(variant, 'accepted')),
        ...bad(values, one).map((variant) => valued(variant, 'refused')),
        ...(one.in === 'path' ? [] : [leftOut]),
        ...twice(values, one).map((text) => changed('given twice', [], 'refused', text)),
      ];
    }),
  ];
}

type Rule = Pick<Case, 'pointer' | 'label' | 'covers'>;

// Of a path or a header, which servers bound; a query may be longer.
const MAX_LENGTH = 4_000;

function good(values: Values, one: Parameter): Variant[] {
  return values
    .goodValues(one.schema)
    .filter((variant) => variant.keyword !== 'spelling' && isSendable(one, toJson(variant.value)));
}

// What another type is in JSON may be the same text; such values are no other.
function bad(values: Values, one: Parameter): Variant[] {
  const types = typesOf(one.schema);
  const right = new Set(good(values, one).map(({ value }) => textOf(one, toJson(value))));
  return values
    .badValues(one.schema)
    .filter(({ value }) => isSendable(one, toJson(value)) && !right.has(textOf(one, toJson(value))))
    .filter(
      ({ keyword, value }) =>
        keyword !== 'type' ||
        (!types.has('string') && !types.has('array') && !types.has('object') && isOther(values, one, toJson(value))),
    );
}

function isOther(values: Values, { schema }: Parameter, value: Json): boolean {
  if (typeof value === 'object') return false;
  const read = [
    String(value),
    ...(value === 'true' || value === 'false' ? [value === 'true'] : []),
    ...(/^-?\d+$/.test(String(value)) ? [BigInt(String(value))] : []),
  ];
  return !read.some((one) => fits(values, schema, one));
}

// A header and a path cannot say everything; a path cannot be empty.
function isSendable(one: Parameter, value: Json): boolean {
  if (!hasForm(one, value)) return false;
  const text = textOf(one, value);
  if (one.in === 'query' || one.in === 'cookie') return text !== '' && !/\ud800|\udfff|\udc00/.test(text);
  if (one.in === 'path')
    return text !== '' && !/^\.+$|\//.test(text) && !text.includes('%00') && text.length < MAX_LENGTH;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text) && text.length < MAX_LENGTH;
}

// OpenAPI, Style Values: what is nested has none, an empty list is an empty text, and odd names are other styles.
function hasForm({ style }: Parameter, value: Json): boolean {
  if (typeof value !== 'object' || value === null) return style !== 'deepObject';
  const members = Object.entries<Json>(value as JsonObject);
  if (style === 'deepObject' && !isJsonObject(value)) return false;
  return members.length > 0 && members.every(([name, member]) => /^\w+$/.test(name) && typeof member !== 'object');
}

function textOf(one: Parameter, value: Json): string {
  try {
    const { path, query, header, cookie } = writeParameter(one, value);
    return path ?? query?.join('&') ?? header?.[1] ?? cookie ?? '';
  } catch (error) {
    // A surrogate alone has no encoding.
    if (error instanceof URIError) return '';
    throw error;
  }
}

function twice(values: Values, one: Parameter): ParameterText[] {
  const types = typesOf(one.schema);
  if (one.in !== 'query' || types.has('array') || types.has('object')) return [];
  const { query = [] } = writeParameter(one, toJson(values.baseOf(one.schema)));
  return [{ query: [...query, ...query] }];
}
