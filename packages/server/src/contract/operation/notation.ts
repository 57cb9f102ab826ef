// Reads how a parameter or header is written as text: its style, explode and content.
import type { Content, Document, HeaderObject, Schema } from '../document/document';
import { isJson, JSON_TYPE, parseMediaType } from './media-type';
import { Mistake } from '../document/mistake';
import { createShape } from '../document/create-shape';
import { hasUnnamedProperties, type Shape } from '../document/shape';
import { toTextForm, type TextForm } from './text-form';

const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
} as const;

export type ParameterLocation = keyof typeof STYLES;

export type Style = (typeof STYLES)[ParameterLocation][number] | 'json';

export interface Notation {
  readonly style: Style;
  readonly explode: boolean;
  /** The types of the value, of its items and of its properties. */
  readonly shape: Shape;
  readonly form: TextForm;
  /** Whether an empty value counts as a missing one (allowEmptyValue). */
  readonly isEmptyMissing: boolean;
  /** Whether `+` in the query is a plus sign (allowReserved), not a space. */
  readonly isPlusLiteral: boolean;
}

type Text = Pick<Notation, 'style' | 'explode' | 'form' | 'shape'>;

/** Whether a parameter is an exploded object with undeclared properties: each name that no other parameter has is one. */
export function takesOtherNames({ style, explode, form, shape }: Text): boolean {
  return style === 'form' && explode && form === 'object' && (shape.isOpen || hasUnnamedProperties(shape));
}

/** @throws Mistake when the kit cannot read or write the value as text */
export function readNotation(
  document: Document,
  object: HeaderObject,
  location: ParameterLocation,
): Notation & { readonly schema: Schema } {
  const { schema, content } = object;
  const isPlusLiteral = location === 'query' && object.allowReserved === true;
  // `content` instead of a schema: the text is JSON.
  if (schema === undefined) {
    const json = findJsonSchema(content);
    if (json === undefined) throw new Mistake(object, `a parameter needs a schema, or content of ${JSON_TYPE}`);
    const notation = { style: 'json', explode: false, form: 'scalar', isEmptyMissing: false, isPlusLiteral } as const;
    return { ...notation, schema: json, shape: createShape(document, json) };
  }
  // The first style of a location is its default.
  const styles: readonly string[] = STYLES[location];
  const style = (object.style ?? styles[0]) as Style;
  if (!styles.includes(style)) {
    throw new Mistake(object, `${style} is no style of ${location}: write ${styles.join(', ')}`, 'style');
  }
  const explode = object.explode ?? style === 'form';
  const shape = createShape(document, schema);
  // Such as ?tag=a&tag=b. Only there a schema of a scalar or a list can be read as either.
  const mayRepeat = location === 'query' && style === 'form' && explode;
  const form = toTextForm(schema, shape, mayRepeat);
  const mayBeEmpty = location === 'query' && object.allowEmptyValue === true;
  // With allowEmptyValue, an empty text means that the value is missing; but not where an empty string is a valid value.
  const isEmptyMissing = mayBeEmpty && form !== 'object' && !allowsString(form === 'array' ? shape.items : shape);
  if (isEmptyMissing && object.required === true) {
    throw new Mistake(object, 'an empty value is none, and this one is required', 'allowEmptyValue');
  }
  const notation = { style, explode, form, isEmptyMissing, isPlusLiteral, schema, shape };
  const problem = findProblem(location, notation);
  if (problem !== undefined) throw new Mistake(object, problem);
  return notation;
}

export function isLocation(location: string): location is ParameterLocation {
  return Object.hasOwn(STYLES, location);
}

function findJsonSchema(content: Content = {}): Schema | undefined {
  const [only, another] = Object.entries(content).map(([key, body]) => ({ type: parseMediaType(key), body }));
  const isOneOfJson = only?.type && !another && isJson(only.type);
  return isOneOfJson ? (only.body.schema ?? {}) : undefined;
}

function allowsString(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.types.size === 0 || shape.types.has('string'));
}

// Why a value has no text: OpenAPI leaves the combination undefined, or text cannot express it.
function findProblem(location: ParameterLocation, { style, explode, form, shape }: Text): string | undefined {
  const isList = form === 'array' || form === 'scalar or array';
  const inner = isList ? [shape.items] : [...shape.properties.values(), shape.others];
  // In these styles, an item that is an array or an object is written as JSON.
  const mayHoldJson = form === 'array' && (style === 'form' || (style === 'simple' && location === 'header'));
  if (!mayHoldJson && inner.some(mayBeArrayOrObject)) {
    return 'a parameter inside a parameter has no text: write content: { application/json: ... }';
  }
  if (style === 'deepObject' && form !== 'object') return 'deepObject is for objects: write form';
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  if (isDelimited && (form === 'scalar' || (form === 'object' && explode))) {
    return `${style} is for arrays, and for objects with explode: false: write form`;
  }
  if (location === 'cookie' && takesOtherNames({ style, explode, form, shape })) {
    return 'members of an exploded object are told from other cookies by their names: list them all in properties';
  }
  return undefined;
}

/** Whether a value may be an array or object, for which OpenAPI has no text inside another: as an item it is JSON. */
export function mayBeArrayOrObject(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.types.has('array') || shape.types.has('object'));
}
