// Parses the text of an application/x-www-form-urlencoded.
import { childOf, itemOf, type Shape } from '../document/shape';
import { parseExactJson } from '../json/exact-json';
import type { BodyMedia } from '../operation/bodies-and-replies';
import type { FormPart } from '../operation/form-parts';
import { Refusal } from '../refusal/refusal';
import { readParameterValue, toValue, type ReadValue } from './parameter-value';
import { decodeForm, decodePercent, groupPairs, planQuery } from './query';

const TEXT: FormPart = { kind: 'text', isList: false, types: [] };

/**
 * Parses the text of an application/x-www-form-urlencoded.
 *
 * @throws Refusal when a field is not written as it is declared
 */
export function parseForm({ shape, fields: { styled, others } }: BodyMedia, text: string): ReadValue {
  const body = shape.properties.get('body');
  const pairs = groupPairs(text);
  const plan = planQuery(styled, [...others.keys()]);
  const inStyle = plan.find.flatMap(([field, find]): [string, ReadValue][] => {
    const parts = inBody(() => find(pairs));
    if (parts === undefined) return [];
    const decode = field.isPlusKept ? decodePercent : decodeForm;
    return [[field.name, inBody(() => readParameterValue(field, parts, decode))]];
  });
  const plain = [...pairs].flatMap(([name, texts]): [string, ReadValue][] => {
    const part = others.get(name);
    if (!part && plan.isKnown(name)) return [];
    return [[name, readField(name, texts.map(decodeForm), part ?? TEXT, childOf(body, name))]];
  });
  const members = [...plain, ...inStyle];
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    tokens: Object.fromEntries(members.map(([name, { tokens }]) => [name, tokens])),
  };
}

// A repeated name is an array (OpenAPI: style form, exploded).
function readField(name: string, texts: readonly string[], { kind }: FormPart, shape: Shape | undefined): ReadValue {
  const read = (one: string, child: Shape | undefined): ReadValue =>
    kind === 'json' ? parseExactJson(Buffer.from(one), child) : { value: toValue(child, one), tokens: one };
  if (shape?.types.has('array') === true) {
    const all = texts.map((one, index) => read(one, itemOf(shape, index)));
    return { value: all.map(({ value }) => value), tokens: all.map(({ tokens }) => tokens) };
  }
  const [first, another] = texts as readonly [string, string?];
  if (another !== undefined) throw new Refusal('INVALID_BODY', `request/body/${name} is there twice`, { rule: 'once' });
  return read(first, shape);
}

// Both refuse what is not written in its style, and think of parameters.
function inBody<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { message, rule } = cause as Refusal;
    throw new Refusal('INVALID_BODY', `request/body: ${message}`, { rule });
  }
}
