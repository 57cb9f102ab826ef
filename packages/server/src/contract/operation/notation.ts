// How the contract says that a parameter is written as text.
import type { Content, Document, HeaderObject, Schema } from '../document/document';
import { isJson, JSON_TYPE, parseMediaType } from './media-type';
import { Mistake } from '../document/mistake';
import { createShape } from '../document/create-shape';
import { hasOthers, type Shape } from '../document/shape';

const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
} as const;

export type ParameterLocation = keyof typeof STYLES;

/** A style of OpenAPI, or JSON. */
export type Style = (typeof STYLES)[ParameterLocation][number] | 'json';

/** The text form of a value. */
export interface Notation {
  readonly style: Style;
  readonly explode: boolean;
  readonly shape: Shape;
  /** Whether the text holds one value, the items of an array, the members of an object, or where it is repeated, items. */
  readonly form: 'one' | 'list' | 'members' | 'one or list';
  /** Whether an empty value is none. */
  readonly isEmptyNone: boolean;
  /** Whether a plus sign is a plus sign in the query, where it stands for a space otherwise. */
  readonly isPlusKept: boolean;
}

type Text = Pick<Notation, 'style' | 'explode' | 'form' | 'shape'>;

/** Whether the members of an object are all parameters of a query that no other parameter has the name of. */
export function takesOtherNames({ style, explode, form, shape }: Text): boolean {
  return style === 'form' && explode && form === 'members' && (shape.isOpen || hasOthers(shape));
}

/** @throws Mistake when the kit cannot read or write the value as text */
export function readNotation(
  document: Document,
  object: HeaderObject,
  location: ParameterLocation,
): Notation & { readonly schema: Schema } {
  const { schema, content } = object;
  const isPlusKept = location === 'query' && object.allowReserved === true;
  if (schema === undefined) {
    const json = findJson(content);
    if (json === undefined) throw new Mistake(object, `a parameter needs a schema, or content of ${JSON_TYPE}`);
    const notation = { style: 'json', explode: false, form: 'one', isEmptyNone: false, isPlusKept } as const;
    return { ...notation, schema: json, shape: createShape(document, json) };
  }
  const styles: readonly string[] = STYLES[location];
  const style = (object.style ?? styles[0]) as Style;
  if (!styles.includes(style)) {
    throw new Mistake(object, `${style} is no style of ${location}: write ${styles.join(', ')}`, 'style');
  }
  const explode = object.explode ?? style === 'form';
  const shape = createShape(document, schema);
  const form = toForm(schema, shape, location === 'query' && style === 'form' && explode);
  const mayBeEmpty = location === 'query' && object.allowEmptyValue === true;
  const isEmptyNone = mayBeEmpty && form !== 'members' && !takesText(form === 'list' ? shape.items : shape);
  if (isEmptyNone && object.required === true) {
    throw new Mistake(object, 'an empty value is none, and this one is required', 'allowEmptyValue');
  }
  const notation = { style, explode, form, isEmptyNone, isPlusKept, schema, shape };
  const problem = findProblem(location, notation);
  if (problem !== undefined) throw new Mistake(object, problem);
  return notation;
}

/** Whether parameters may be in a part of a request. */
export function isLocation(location: string): location is ParameterLocation {
  return Object.hasOwn(STYLES, location);
}

// Any type of JSON, with parameters or a suffix, too.
function findJson(content: Content = {}): Schema | undefined {
  const [entry, ...others] = Object.entries(content);
  const type = entry && others.length === 0 ? parseMediaType(entry[0]) : undefined;
  return type && isJson(type) ? (entry?.[1].schema ?? {}) : undefined;
}

function toForm(schema: Schema, shape: Shape, isRepeated: boolean): Notation['form'] {
  const { types, properties, items } = shape;
  const isList = types.has('array');
  const isObject = types.has('object') || properties.size > 0;
  const others = [...types].filter((type) => type !== 'null' && type !== 'array');
  if (isRepeated && isList && !isObject && others.length > 0 && isEach(items, others)) return 'one or list';
  if (isList ? others.length > 0 : isObject && others.some((type) => type !== 'object')) {
    throw new Mistake(schema, 'text does not tell an array, an object and anything else apart: give it one type');
  }
  if (isList) return 'list';
  return isObject ? 'members' : 'one';
}

/** Whether a value of an array, alone, is as right without it. */
function isEach(items: Shape | undefined, types: readonly string[]): boolean {
  if (!items || items.types.size === 0) return false;
  return [...items.types].every((type) => types.includes(type));
}

function takesText(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.types.size === 0 || shape.types.has('string'));
}

// Finds combinations that OpenAPI leaves undefined, or that text cannot express.
function findProblem(location: ParameterLocation, { style, explode, form, shape }: Text): string | undefined {
  const below =
    form === 'list' || form === 'one or list' ? [shape.items] : [...shape.properties.values(), shape.others];
  const isJsonText = form === 'list' && (style === 'form' || (style === 'simple' && location === 'header'));
  if (!isJsonText && below.some(isNested)) {
    return 'a parameter inside a parameter has no text: write content: { application/json: ... }';
  }
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  if (style === 'deepObject' && form !== 'members') return 'deepObject is for objects: write form';
  if (isDelimited && (form === 'one' || (form === 'members' && explode))) {
    return `${style} is for arrays, and for objects with explode: false: write form`;
  }
  if (location === 'cookie' && takesOtherNames({ style, explode, form, shape })) {
    return 'members of an exploded object are told from other cookies by their names: list them all in properties';
  }
  return undefined;
}

/** Whether a value has parts, for which OpenAPI has no text inside another: the items of a list are JSON then. */
export function isNested(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.types.has('array') || shape.types.has('object'));
}
