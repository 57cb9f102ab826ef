// Reads the parameters that a contract declares.
import { isJsonObject, objectOrEmpty, toText, type JsonObject } from '../wire/json';
import { extendPointer } from './pointer';
import { essenceOf, isJsonType } from './media-type';
import { resolve, toList, type Contract } from './read-contract';
import { readSchema, rulesOf, type Schema } from './schema';
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

const STYLES: Readonly<Record<Parameter['in'], readonly [usual: string, ...others: string[]]>> = {
  path: ['simple', 'label', 'matrix'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

export function readParameter(contract: Contract, at: string): Parameter {
  const { value, pointer } = resolve(contract, at);
  const place = value['in'] as Parameter['in'];
  if (!Object.hasOwn(STYLES, toText(place))) throw new Untriable(`parameters in ${toText(place)}`, pointer);
  const text = readText(contract, pointer, STYLES[place][0]);
  const isUnknown = text.style !== 'json' && !STYLES[place].includes(text.style);
  const isSpread = place === 'cookie' && text.isExploded && ['array', 'object'].some((type) => hasType(text, type));
  return {
    name: toText(value['name']),
    in: place,
    isRequired: value['required'] === true || place === 'path',
    ...text,
    ...(isUnknown && { untriable: new Untriable(`the style ${text.style} in ${place}`, pointer) }),
    ...(isSpread && { untriable: new Untriable('cookies of several values', pointer) }),
  };
}

function hasType({ schema }: Text, type: string): boolean {
  return rulesOf(schema, 'type').some(({ value }) => toList(value).includes(type));
}

/** @param usual the default style */
export function readText(contract: Contract, pointer: string, usual: string): Text {
  const { value } = resolve(contract, pointer);
  const { content } = value;
  if (value['schema'] === undefined) return readJsonText(contract, pointer, objectOrEmpty(content));
  const style = toText(value['style'] ?? usual);
  return {
    style,
    isExploded: value['explode'] === undefined ? style === 'form' : value['explode'] === true,
    pointer,
    schema: readSchema(contract, extendPointer(pointer, 'schema')),
  };
}

// OpenAPI, Parameter Object: definitions of these headers are ignored.
const IGNORED = ['accept', 'content-type', 'authorization'];
// RFC 9112 section 6, RFC 9110 sections 7.2, 7.6.1 and 10.1.1: the client's HTTP layer sets these.
const OF_MESSAGES = [
  ...['content-length', 'transfer-encoding', 'host', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade'],
];

/** Whether OpenAPI ignores a header parameter, or HTTP sets it. */
export function isIgnored({ name, in: place }: Parameter): boolean {
  return place === 'header' && [...IGNORED, ...OF_MESSAGES].includes(name.toLowerCase());
}

function readJsonText(contract: Contract, pointer: string, content: JsonObject): Text {
  const [type = ''] = Object.keys(content);
  const isJson = isJsonType(essenceOf(type)) && isJsonObject(content[type]) && content[type]['schema'] !== undefined;
  const schema = isJson
    ? readSchema(contract, extendPointer(pointer, 'content', type, 'schema'))
    : { contract, places: [] };
  const reason = type === '' ? 'parameters and headers without a schema' : `parameters and headers of ${type}`;
  const text = { style: 'json', isExploded: false, pointer, schema };
  return isJson ? text : { ...text, untriable: new Untriable(reason, pointer) };
}
