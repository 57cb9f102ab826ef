import { isJsonObject, toText, type JsonObject } from '../wire/json';
import { assertGenerated } from './keywords';
import { deeper } from './pointer';
import { resolve, type Contract } from './read-contract';
import { isJsonType } from './read-content';
import { readSchema, type Schema } from './schema';

/** How a value is written as text. */
export interface Text {
  /** One of OpenAPI's, or `json` where the text is JSON. */
  readonly style: string;
  readonly isExploded: boolean;
  readonly pointer: string;
  readonly schema: Schema;
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

/** @throws Error that names the place, where no cases can be made */
export function readParameter(contract: Contract, at: string): Parameter {
  const { value, pointer } = resolve(contract, at);
  const place = value['in'] as Parameter['in'];
  for (const keyword of ['allowReserved', 'allowEmptyValue']) {
    if (value[keyword] === true) throw new Error(`${pointer}: no cases can be made for ${keyword}`);
  }
  const text = readText(contract, pointer, STYLES[place][0]);
  if (text.style !== 'json' && !STYLES[place].includes(text.style))
    throw new Error(`${pointer}: no cases can be made for the style ${text.style} in ${place}`);
  return { name: toText(value['name']), in: place, isRequired: value['required'] === true, ...text };
}

/**
 * @param usual the style where none is said
 * @throws Error that names the place, where no cases can be made
 */
export function readText(contract: Contract, pointer: string, usual: string): Text {
  const { value } = resolve(contract, pointer);
  const { content } = value;
  if (value['schema'] === undefined) return readJsonText(contract, pointer, isJsonObject(content) ? content : {});
  assertGenerated(contract, deeper(pointer, 'schema'));
  const style = toText(value['style'] ?? usual);
  return {
    style,
    isExploded: value['explode'] === undefined ? style === 'form' : value['explode'] === true,
    pointer,
    schema: readSchema(contract, deeper(pointer, 'schema')),
  };
}

/** OpenAPI, Parameter Object: definitions of these headers are ignored. */
export function isIgnored({ name, in: place }: Parameter): boolean {
  return place === 'header' && ['accept', 'content-type', 'authorization'].includes(name.toLowerCase());
}

function readJsonText(contract: Contract, pointer: string, content: JsonObject): Text {
  const [type = ''] = Object.keys(content);
  if (!isJsonType(type)) throw new Error(`${pointer}: no cases can be made for it without a schema`);
  const at = deeper(pointer, 'content', type, 'schema');
  assertGenerated(contract, at);
  return { style: 'json', isExploded: false, pointer, schema: readSchema(contract, at) };
}
