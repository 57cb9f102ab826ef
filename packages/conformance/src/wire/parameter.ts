import type { Parameter, Text } from '../contract/model';
import { isJsonList, isJsonObject, Raw, toJson, writeJson, type Json, type Wire } from './json';
import type { Header } from './request';

/** What a parameter adds to a request. */
export interface ParameterText {
  readonly path?: string;
  readonly query?: readonly string[];
  readonly header?: Header;
  readonly cookie?: string;
}

type Encode = (scalarText: string) => string;

/** Writes a parameter as OpenAPI describes it (Parameter Object, Style Values). */
export function writeParameter(parameter: Parameter, value: Wire): ParameterText {
  const { name } = parameter;
  switch (parameter.in) {
    case 'path':
      return { path: writePath(parameter, value) };
    case 'query':
      return { query: writeQuery(parameter, value) };
    case 'header':
      return { header: [name, joinValue(parameter, value, ',', asIs)] };
    case 'cookie':
      return { cookie: `${name}=${joinValue(parameter, value, ',', encodeURIComponent)}` };
  }
}

function writePath(parameter: Parameter, value: Wire): string {
  const { name, style, isExploded } = parameter;
  if (style === 'label') return `.${joinValue(parameter, value, isExploded ? '.' : ',', encodeURIComponent)}`;
  if (style !== 'matrix') return joinValue(parameter, value, ',', encodeURIComponent);
  const json = keepRawNumber(value);
  if (isExploded && isJsonList(json))
    return json.map((item) => `;${name}=${encodeURIComponent(scalarText(item))}`).join('');
  if (isExploded && isObject(json)) return `;${joinValue(parameter, value, ';', encodeURIComponent)}`;
  return `;${name}=${joinValue(parameter, value, ',', encodeURIComponent)}`;
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function writeQuery(parameter: Parameter, value: Wire): string[] {
  const { style, isExploded } = parameter;
  const name = encodeURIComponent(parameter.name);
  const json = keepRawNumber(value);
  if (style === 'deepObject' && isObject(json)) {
    return Object.entries(json).map(
      ([key, member]) => `${name}[${encodeURIComponent(key)}]=${encodeURIComponent(scalarText(member))}`,
    );
  }
  if (isExploded && isJsonList(json)) return json.map((item) => `${name}=${encodeURIComponent(scalarText(item))}`);
  if (isExploded && isObject(json)) return writePairs(json);
  return [`${name}=${joinValue(parameter, value, SEPARATORS[style] ?? ',', encodeURIComponent)}`];
}

/** Writes the members of an object as a form; a list repeats its name. */
export function writePairs(object: Readonly<Record<string, Json>>): string[] {
  return Object.entries(object).flatMap(([key, member]) =>
    (isJsonList(member) ? member : [member]).map(
      (item) => `${encodeURIComponent(key)}=${encodeURIComponent(scalarText(item))}`,
    ),
  );
}

// The items or members of a value, encoded and joined; a scalar alone.
function joinValue({ isExploded, style }: Text, value: Wire, separator: string, encode: Encode): string {
  if (style === 'json') return encode(toAscii(writeJson(value)));
  const json = keepRawNumber(value);
  if (isJsonList(json)) return json.map((item) => encode(scalarText(item))).join(separator);
  if (!isObject(json)) return encode(scalarText(json));
  const pairs = Object.entries(json).map(([key, member]) => [encode(key), encode(scalarText(member))]);
  return isExploded ? pairs.map((pair) => pair.join('=')).join(separator) : pairs.flat().join(separator);
}

// A raw number keeps its spelling.
function keepRawNumber(value: Wire): Json | Raw {
  return value instanceof Raw ? value : toJson(value);
}

function isObject(value: Json | Raw): value is Readonly<Record<string, Json>> {
  return isJsonObject(value) && !(value instanceof Raw);
}

/** The text of a value without items or members. */
export function scalarText(value: Json | Raw): string {
  return typeof value === 'object' ? writeJson(value) : String(value);
}

// Headers hold only ASCII: escape other characters in JSON.
function toAscii(json: string): string {
  return json.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function asIs(text: string): string {
  return text;
}
