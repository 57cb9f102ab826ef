// Reads the style, explode and content that determine how a parameter or header is serialized.
import {
  resolveReference,
  type Content,
  type NormalizedDocument,
  type HeaderObject,
  type MediaTypeObject,
  type ParameterObject,
  type Reference,
  type OperationObject,
  type PathItem,
} from '../2-resolve/document';
import { isOpenApi32, type NormalizedSchema } from '../2-resolve/schema';
import { allowsOnlyScalars, isJson, JSON_TYPE, parseMediaType, type MediaType } from './media-type';
import { DocumentError, type DocumentErrors } from '../text/document-error';
import { createShape, describesUndeclared, type Shape } from '../4-shape/shape';
import { listConstants } from '../4-shape/value-kinds';
import { readScalar } from '../json/int64';
import { collectInPlaceSchemas, findDefault, inPlaceSchemasOf } from '../2-resolve/find-schemas';
import { assertEnforceableName } from '../2-resolve/supported';

const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  // OpenAPI 3.2 introduced the style cookie.
  cookie: ['form', 'cookie'],
} as const;

export type ParameterLocation = keyof typeof STYLES;

/** The `style` of a parameter, or json for `content` with JSON. */
export type Style = (typeof STYLES)[ParameterLocation][number] | 'json';

/** How a value is serialized as text. */
export interface Notation {
  readonly style: Style;
  readonly explode: boolean;
  readonly shape: Shape;
  readonly form: TextForm;
  /** Whether an empty value is treated as missing (allowEmptyValue). */
  readonly isEmptyMissing: boolean;
  /** Whether `+` in a query is a plus sign instead of a space (allowReserved). */
  readonly isPlusLiteral: boolean;
}

type Text = Pick<Notation, 'style' | 'explode' | 'form' | 'shape'>;

/**
 * Whether a parameter is an exploded object with undeclared properties, which can have any name except another parameter's.
 *
 * @example acceptsUndeclaredNames(parameter)
 */
export function acceptsUndeclaredNames({ style, explode, form, shape }: Text): boolean {
  return (
    (style === 'form' || style === 'cookie') &&
    explode &&
    form === 'object' &&
    (shape.keepsUndeclared || describesUndeclared(shape))
  );
}

/** @throws DocumentError at `owner` if the kit cannot serialize and parse the value */
export function readNotation(
  document: NormalizedDocument,
  object: HeaderObject,
  location: ParameterLocation,
  owner: object = object,
): Notation & { readonly schema: NormalizedSchema } {
  const { schema, content, ...otherFields } = object;
  const isPlusLiteral = location === 'query' && object.allowReserved === true;
  if (schema === undefined) {
    const plain = findOnlySchema(document, content, ({ name }) => name === 'text/plain');
    if (plain && allowsOnlyScalars(resolveReference(document, plain)))
      return readNotation(document, { ...otherFields, schema: plain }, location, owner);
    const json = findOnlySchema(document, content, isJson);
    if (!json)
      throw new DocumentError(
        owner,
        `needs a schema, or content of ${JSON_TYPE}, or of text/plain with a scalar schema`,
      );
    const notation = { style: 'json', explode: false, form: 'scalar', isEmptyMissing: false, isPlusLiteral } as const;
    return { ...notation, schema: json, shape: createShape(document, json) };
  }
  const styles = STYLES[location].filter((name) => name !== 'cookie' || isOpenApi32(document.openapi));
  const style = (object.style ?? styles[0]) as Style;
  if (!styles.some((name) => name === style)) {
    throw new DocumentError(owner, `${style} is not a style of ${location}: write ${styles.join(', ')}`, 'style');
  }
  const explode = object.explode ?? (style === 'form' || style === 'cookie');
  const shape = createShape(document, schema);
  // A value can be either a scalar or an array only if the parameter can be repeated, as in ?tag=a&tag=b.
  const mayRepeat = location === 'query' && style === 'form' && explode;
  const form = toTextForm(owner, shape, mayRepeat);
  const mayBeEmpty = location === 'query' && object.allowEmptyValue === true;
  // If the schema allows strings, an empty value is an empty string and not missing.
  const { types } = (form === 'array' ? shape.items : shape) ?? shape;
  const isEmptyMissing = mayBeEmpty && form !== 'object' && types.size > 0 && !types.has('string');
  if (isEmptyMissing && object.required === true) {
    throw new DocumentError(
      owner,
      'this parameter is required, but its value may be empty, which counts as missing: remove required or allowEmptyValue',
      'allowEmptyValue',
    );
  }
  const notation = { style, explode, form, isEmptyMissing, isPlusLiteral, schema, shape };
  const problem = findProblem(location, notation);
  if (problem !== undefined) throw new DocumentError(owner, problem);
  assertClearTexts(document, owner, [schema]);
  return notation;
}

function isLocation(location: string): location is ParameterLocation {
  return Object.hasOwn(STYLES, location);
}

/** Returns the schema in `content` if it has a single media type and that type matches. */
function findOnlySchema(
  document: NormalizedDocument,
  content: Content = {},
  matches: (type: MediaType) => boolean,
): NormalizedSchema | undefined {
  const [onlyEntry, another] = Object.entries(content);
  const type = onlyEntry && !another ? parseMediaType(onlyEntry[0]) : undefined;
  if (!onlyEntry || !type || !matches(type)) return undefined;
  return resolveReference<MediaTypeObject>(document, onlyEntry[1], 'MediaType').schema ?? {};
}

// Explains why the value cannot be serialized with this style.
function findProblem(location: ParameterLocation, { style, explode, form, shape }: Text): string | undefined {
  const isList = form === 'array' || form === 'scalar or array';
  const innerShapes = isList ? [shape.items] : [...shape.properties.values(), shape.additionalProperties];
  // With these styles, the kit serializes an array or object in a list as JSON.
  const mayHoldJson = form === 'array' && (style === 'form' || (style === 'simple' && location === 'header'));
  if (!mayHoldJson && innerShapes.some(mayBeArrayOrObject)) {
    return 'a style cannot express an array or object inside this value: write content: { application/json: ... }';
  }
  if (style === 'deepObject' && form !== 'object') return 'deepObject needs an object: write form';
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  if (isDelimited && (form === 'scalar' || (form === 'object' && explode))) {
    return `${style} needs an array, or an object with explode: false: write form`;
  }
  if (location === 'cookie' && acceptsUndeclaredNames({ style, explode, form, shape })) {
    return 'only their names distinguish the members of an exploded object from other cookies: list them all in properties';
  }
  return undefined;
}

/**
 * Whether a value can be an array or object. OpenAPI does not define how to serialize nested ones.
 *
 * @example mayBeArrayOrObject(itemShape(shape, 0))
 */
export function mayBeArrayOrObject(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.types.has('array') || shape.types.has('object'));
}

/** @throws DocumentError at `owner` if a string in an enum or const would be parsed as a number or boolean */
export function assertClearTexts(
  document: NormalizedDocument,
  owner: object,
  nodes: readonly NormalizedSchema[],
): void {
  const children = collectInPlaceSchemas(document, nodes).map(({ items = [], prefixItems = [], properties = {} }) => {
    return [items, prefixItems, Object.values(properties)];
  });
  for (const node of [...nodes, ...children.flat(3)])
    for (const value of inPlaceSchemasOf(document, node).flatMap(listConstants)) {
      const read = typeof value === 'string' ? readScalar(createShape(document, node), value) : value;
      if (typeof value === typeof read) continue;
      throw new DocumentError(owner, `as text, the string ${String(value)} cannot be told from a ${typeof read}`);
    }
}

export interface Parameter extends Notation {
  readonly name: string;
  readonly location: ParameterLocation;
  readonly isRequired: boolean;
  readonly schema: NormalizedSchema;
}

// OpenAPI ignores parameters with these names (Parameter Object).
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

function isIgnored({ name, in: location }: Pick<ParameterObject, 'name' | 'in'>): boolean {
  return location === 'header' && IGNORED_HEADERS.has(name.toLowerCase());
}

export function readParameter(document: NormalizedDocument, node: ParameterObject | Reference): Parameter {
  const object = resolveReference<ParameterObject>(document, node, 'Parameter');
  const { name, in: location, required = false } = object;
  if (!isLocation(location))
    throw new DocumentError(object, `a parameter cannot be in ${location}: write path, query, header or cookie`, 'in');
  if (location === 'path' && !required)
    throw new DocumentError(object, `the path parameter ${name} must have required: true`);
  const notation = readNotation(document, object, location);
  assertEnforceableName(object, name, () => findDefault(document, notation.schema));
  return { name, location, isRequired: required, ...notation };
}

/** Reads the parameters of an operation and its path. An operation's parameters take precedence; invalid ones are left out. */
export function readParameters(
  document: NormalizedDocument,
  item: PathItem,
  object: OperationObject,
  errors: DocumentErrors,
): Parameter[] {
  const operationParameters = readEach(document, errors, object.parameters);
  const pathParameters = readEach(document, errors, item.parameters);
  const inheritedParameters = pathParameters.filter(
    (parameter) => !operationParameters.some((own) => isSameParameter(own, parameter)),
  );
  const parameters = [...operationParameters, ...inheritedParameters];
  const [first, second] = parameters.filter(
    (parameter) => parameter.location === 'query' && acceptsUndeclaredNames(parameter),
  );
  if (first && second) {
    const message = `${first.name} and ${second.name} would both take all other names in the query: list the properties of one of them`;
    errors.add(new DocumentError(second.schema, message));
  }
  return parameters;
}

function readEach(
  document: NormalizedDocument,
  errors: DocumentErrors,
  nodes: PathItem['parameters'] = [],
): Parameter[] {
  const read = nodes.flatMap((node) => {
    // readQuerystring handles parameters with `in: querystring`.
    const isServed = (): boolean => {
      const object = resolveReference<ParameterObject>(document, node, 'Parameter');
      return !isIgnored(object) && !(object.in === 'querystring' && isOpenApi32(document.openapi));
    };
    return errors.attempt(() => (isServed() ? [readParameter(document, node)] : [])) ?? [];
  });
  for (const [index, parameter] of read.entries()) {
    const isRepeated = read.slice(0, index).some((earlier) => isSameParameter(earlier, parameter));
    if (!isRepeated) continue;
    errors.add(new DocumentError(nodes, `the ${parameter.location} parameter ${parameter.name} is listed twice`));
  }
  return read;
}

function isSameParameter(left: Parameter, right: Parameter): boolean {
  if (left.location !== right.location) return false;
  // Header names are case-insensitive (RFC 9110 section 5.1).
  return left.location === 'header' ? left.name.toLowerCase() === right.name.toLowerCase() : left.name === right.name;
}

/** The kind of value that a schema allows. A `scalar or array` is an array if the parameter is repeated. */
export type TextForm = 'scalar' | 'array' | 'object' | 'scalar or array';

function toTextForm(owner: object, shape: Shape, mayRepeat: boolean): TextForm {
  const { types, items } = shape;
  const isArray = types.has('array');
  const isObject = types.has('object');
  const hasOneType = types.size <= 1;
  if (mayRepeat && isArray && !isObject && !hasOneType && !mayBeArrayOrObject(items)) return 'scalar or array';
  if ((isArray || isObject) && !hasOneType) {
    throw new DocumentError(owner, 'as text, arrays, objects and scalars cannot be told apart: allow only one of them');
  }
  if (isArray) return 'array';
  return isObject ? 'object' : 'scalar';
}
