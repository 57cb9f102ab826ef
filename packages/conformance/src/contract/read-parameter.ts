// Reads the parameters that a contract declares.
import { objectOrEmpty, toText, type JsonObject } from '../wire/json';
import { extendPointer } from './pointer';
import { essenceOf, isJsonType } from './media-type';
import { resolve, toList, type Contract } from './read-contract';
import { anySchema, readSchema, rulesOf, type Schema } from './schema';
import { Untriable } from './untried';

/** How a value is serialized as text. */
export interface Text {
  /** A style of OpenAPI, or `json` for a parameter with JSON content. */
  readonly style: string;
  readonly isExploded: boolean;
  readonly pointer: string;
  readonly schema: Schema;
  /** Why the suite cannot write or read it. */
  readonly untriable?: Untriable;
}

export interface Parameter extends Text {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
}

// OpenAPI, Style Values: the styles of each location, the default first.
const STYLES: Readonly<Record<Parameter['in'], readonly [usual: string, ...others: string[]]>> = {
  path: ['simple', 'label', 'matrix'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

/** @throws Untriable when its location is unknown */
export function readParameter(contract: Contract, at: string): Parameter {
  const { value, pointer } = resolve(contract, at);
  const location = value['in'] as Parameter['in'];
  if (!Object.hasOwn(STYLES, toText(location))) throw new Untriable(`parameters in ${toText(location)}`, pointer);
  const text = readText(contract, pointer, STYLES[location][0]);
  const isUnknownStyle = text.style !== 'json' && !STYLES[location].includes(text.style);
  const hasSeveralValues = ['array', 'object'].some((type) => listsType(text, type));
  // An exploded array or object would need a cookie for each of its values.
  const isExplodedCookie = location === 'cookie' && text.isExploded && hasSeveralValues;
  return {
    name: toText(value['name']),
    in: location,
    isRequired: value['required'] === true || location === 'path',
    ...text,
    ...(isUnknownStyle && { untriable: new Untriable(`the style ${text.style} in ${location}`, pointer) }),
    ...(isExplodedCookie && { untriable: new Untriable('cookies of several values', pointer) }),
  };
}

// Whether the schema names the type; a schema without `type` names none.
function listsType({ schema }: Text, type: string): boolean {
  return rulesOf(schema, 'type').some(({ value }) => toList(value).includes(type));
}

export function readText(contract: Contract, pointer: string, defaultStyle: string): Text {
  const { schema, content, style: ownStyle, explode } = resolve(contract, pointer).value;
  if (schema === undefined) return readJsonText(contract, pointer, objectOrEmpty(content));
  const style = toText(ownStyle ?? defaultStyle);
  return {
    style,
    // OpenAPI, Parameter Object: only the style `form` is exploded by default.
    isExploded: explode === undefined ? style === 'form' : explode === true,
    pointer,
    schema: readSchema(contract, extendPointer(pointer, 'schema')),
  };
}

// OpenAPI, Parameter Object: definitions of these headers are ignored.
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];
// RFC 9112 section 6, RFC 9110 sections 7.2, 7.6.1 and 10.1.1: the client's HTTP layer sets these.
const CLIENT_HEADERS = [
  ...['content-length', 'transfer-encoding', 'host', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade'],
];

export function isIgnoredHeader({ name, in: location }: Parameter): boolean {
  return location === 'header' && [...IGNORED_HEADERS, ...CLIENT_HEADERS].includes(name.toLowerCase());
}

function readJsonText(contract: Contract, pointer: string, content: JsonObject): Text {
  const [mediaType = ''] = Object.keys(content);
  const { schema } = objectOrEmpty(content[mediaType]);
  const isJson = isJsonType(essenceOf(mediaType)) && schema !== undefined;
  const text = { style: 'json', isExploded: false, pointer };
  if (isJson) {
    return { ...text, schema: readSchema(contract, extendPointer(pointer, 'content', mediaType, 'schema')) };
  }
  const reason =
    mediaType === '' ? 'parameters and headers without a schema' : `parameters and headers of ${mediaType}`;
  return { ...text, schema: anySchema(contract), untriable: new Untriable(reason, pointer) };
}
