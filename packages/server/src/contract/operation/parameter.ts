import {
  resolveReference,
  type Document,
  type HeaderObject,
  type ParameterObject,
  type Reference,
  type Schema,
} from '../document/document';
import { JSON_TYPE } from './media-type';
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
  /** Whether the text holds one value, the items of an array, or the members of an object. */
  readonly form: 'one' | 'list' | 'members';
}

/** One parameter of an operation. */
export interface Parameter extends Notation {
  /** As the contract spells it. */
  readonly name: string;
  readonly location: ParameterLocation;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

// OpenAPI, Parameter Object: definitions of these headers are ignored.
const IGNORED = new Set(['accept', 'content-type', 'authorization']);

/**
 * Whether OpenAPI leaves the rules of a parameter to other parts of the contract: security, requestBody, responses.
 *
 * @example isIgnored({ name: 'Accept', in: 'header' }) // true
 */
export function isIgnored({ name, in: location }: ParameterObject): boolean {
  return location === 'header' && IGNORED.has(name.toLowerCase());
}

/** @throws Mistake when the kit cannot read the parameter */
export function readParameter(document: Document, node: ParameterObject | Reference): Parameter {
  const object = resolveReference<ParameterObject>(document, node);
  const { name, in: location, required = false } = object;
  if (!isLocation(location))
    throw new Mistake(object, `there are no parameters in ${location}, only in path, query, header and cookie`, 'in');
  if (location === 'path' && !required)
    throw new Mistake(object, `the path parameter ${name} has to say required: true`);
  return { name, location, isRequired: required, ...readNotation(document, object, location) };
}

/** @throws Mistake when the kit cannot read or write the value as text */
export function readNotation(
  document: Document,
  object: HeaderObject,
  location: ParameterLocation,
): Notation & { readonly schema: Schema } {
  const { schema, content } = object;
  if (schema === undefined) {
    const json = content?.[JSON_TYPE]?.schema;
    if (json === undefined)
      throw new Mistake(object, `a parameter needs a schema, or content of ${JSON_TYPE} with one`);
    return { style: 'json', explode: false, form: 'one', schema: json, shape: createShape(document, json) };
  }
  const styles: readonly string[] = STYLES[location];
  const style = (object.style ?? styles[0]) as Style;
  if (!styles.includes(style)) {
    throw new Mistake(object, `${style} is no style of ${location}: write ${styles.join(', ')}`, 'style');
  }
  const explode = object.explode ?? style === 'form';
  const shape = createShape(document, schema);
  const form = toForm(schema, shape);
  const notation = { style, explode, form, schema, shape };
  const problem = findProblem(location, notation);
  if (problem !== undefined) throw new Mistake(object, problem);
  return notation;
}

function isLocation(location: string): location is ParameterLocation {
  return Object.hasOwn(STYLES, location);
}

function toForm(schema: Schema, { types, properties }: Shape): Notation['form'] {
  const isList = types.has('array');
  const isObject = types.has('object') || properties.size > 0;
  if ((isList || isObject) && [...types].filter((type) => type !== 'null').length > 1) {
    throw new Mistake(schema, 'text does not tell an array, an object and anything else apart: give it one type');
  }
  if (isList) return 'list';
  return isObject ? 'members' : 'one';
}

// Finds combinations that OpenAPI leaves undefined, or that text cannot express.
function findProblem(location: ParameterLocation, { style, explode, form, shape }: Notation): string | undefined {
  const below = form === 'list' ? [shape.items] : [...shape.properties.values(), shape.others];
  if (below.some((child) => child && (child.types.has('array') || child.types.has('object')))) {
    return 'a parameter inside a parameter has no text: write content: { application/json: ... }';
  }
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  if (style === 'deepObject' && form !== 'members') return 'deepObject is for objects: write form';
  if (isDelimited && (form === 'one' || (form === 'members' && explode))) {
    return `${style} is for arrays, and for objects with explode: false: write form`;
  }
  if (location === 'cookie' && explode && form !== 'one') return 'a cookie has one value: write explode: false';
  if (location === 'query' && style === 'form' && explode && form === 'members' && (shape.isOpen || hasOthers(shape))) {
    return 'members of an exploded object are told from other parameters by their names: list them all in properties';
  }
  return undefined;
}
