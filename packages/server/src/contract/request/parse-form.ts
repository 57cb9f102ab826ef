// Parses the text of an application/x-www-form-urlencoded.
import { propertyShape, itemShape, type Shape } from '../document/shape';
import { readJson, type ReadValue } from './read-json';
import type { BodyMedia } from '../operation/bodies-and-replies';
import type { FormPart } from '../operation/form-parts';
import { Refusal } from '../refusal/refusal';
import { readParameterValue, toValue } from './parameter-style';
import { decodeForm, decodePercent, groupPairs, planQuery } from './query';

const UNDECLARED: FormPart = { kind: 'text', isList: false, types: [] };

/** The `styled` fields are encoded as in a query, `others` are JSON or text. @throws Refusal for one that is encoded otherwise */
export function parseForm({ shape, fields: { styled, others } }: BodyMedia, text: string): ReadValue {
  const body = shape.properties.get('body');
  const pairs = groupPairs(text);
  const plan = planQuery(styled, [...others.keys()]);
  const styledMembers = plan.finders.flatMap(([field, find]): [string, ReadValue][] => {
    const parts = refuseBody(() => find(pairs));
    if (parts === undefined) return [];
    const decode = field.isPlusLiteral ? decodePercent : decodeForm;
    return [[field.name, refuseBody(() => readParameterValue(field, parts, decode))]];
  });
  const otherMembers = [...pairs].flatMap(([name, texts]): [string, ReadValue][] => {
    const part = others.get(name);
    // It belongs to a styled field.
    if (!part && plan.isKnown(name)) return [];
    return [[name, readField(name, texts.map(decodeForm), part ?? UNDECLARED, propertyShape(body, name))]];
  });
  const members = [...otherMembers, ...styledMembers];
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    tokens: Object.fromEntries(members.map(([name, { tokens }]) => [name, tokens])),
  };
}

// Reads the texts of one name: several are an array (OpenAPI: style form, exploded).
function readField(name: string, texts: readonly string[], { kind }: FormPart, shape: Shape | undefined): ReadValue {
  const read = (text: string, textShape: Shape | undefined): ReadValue =>
    kind === 'json' ? readJson(Buffer.from(text), textShape) : { value: toValue(textShape, text), tokens: text };
  if (shape?.types.has('array') === true) {
    const items = texts.map((text, index) => read(text, itemShape(shape, index)));
    return { value: items.map(({ value }) => value), tokens: items.map(({ tokens }) => tokens) };
  }
  const [first, another] = texts as readonly [string, string?];
  if (another !== undefined) throw new Refusal('INVALID_BODY', `request/body/${name} is there twice`, { rule: 'once' });
  return read(first, shape);
}

// Calls a function for parameters, which throws INVALID_PARAMETER: here the body is wrong, so that is INVALID_BODY.
function refuseBody<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { message, rule } = cause as Refusal;
    throw new Refusal('INVALID_BODY', `request/body: ${message}`, { rule });
  }
}
