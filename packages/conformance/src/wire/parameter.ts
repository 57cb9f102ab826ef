// Writes the values of parameters as OpenAPI describes it.
import type { Parameter, Text } from '../contract/model';
import { isJsonList, isJsonObject, Raw, toJson, writeJson, type Json, type Wire } from './json';
import type { Header } from './request';

/** What a parameter adds to a request: text for one of its four locations, of the query one `name=value` or more. */
export interface ParameterText {
  readonly path?: string;
  readonly query?: readonly string[];
  readonly header?: Header;
  readonly cookie?: string;
}

type Encode = (scalarText: string) => string;

/** Writes the value of a parameter for its location, by its style (OpenAPI, Parameter Object, Style Values). */
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

// For a parameter `id` and the list [3, 4], exploded: `3,4` (simple), `.3.4` (label), `;id=3;id=4` (matrix).
function writePath(parameter: Parameter, value: Wire): string {
  const { name, style, isExploded } = parameter;
  if (style === 'label') return `.${joinValue(parameter, value, isExploded ? '.' : ',', encodeURIComponent)}`;
  if (style !== 'matrix') return joinValue(parameter, value, ',', encodeURIComponent);
  const json = toJsonOrRaw(value);
  if (isExploded && isJsonList(json))
    return json.map((item) => `;${name}=${encodeURIComponent(scalarText(item))}`).join('');
  // Each member has its own name instead of the parameter's.
  if (isExploded && isObject(json)) return `;${joinValue(parameter, value, ';', encodeURIComponent)}`;
  return `;${name}=${joinValue(parameter, value, ',', encodeURIComponent)}`;
}

const QUERY_DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

// The parts that `&` joins. For a parameter `id` and the list [3, 4]: ['id=3', 'id=4'] exploded, ['id=3,4'] not
// exploded, ['id=3%7C4'] pipeDelimited.
function writeQuery(parameter: Parameter, value: Wire): string[] {
  const { style, isExploded } = parameter;
  const name = encodeURIComponent(parameter.name);
  const json = toJsonOrRaw(value);
  if (style === 'deepObject' && isObject(json)) {
    return Object.entries(json).map(
      ([key, member]) => `${name}[${encodeURIComponent(key)}]=${encodeURIComponent(scalarText(member))}`,
    );
  }
  if (isExploded && isJsonList(json)) return json.map((item) => `${name}=${encodeURIComponent(scalarText(item))}`);
  // Each member has its own name instead of the parameter's.
  if (isExploded && isObject(json)) return writePairs(json);
  return [`${name}=${joinValue(parameter, value, QUERY_DELIMITERS[style] ?? ',', encodeURIComponent)}`];
}

/** A list repeats its name: { a: 'b c', d: [1n, 2n] } becomes ['a=b%20c', 'd=1', 'd=2']. */
export function writePairs(object: Readonly<Record<string, Json>>): string[] {
  return Object.entries(object).flatMap(([key, member]) =>
    (isJsonList(member) ? member : [member]).map(
      (item) => `${encodeURIComponent(key)}=${encodeURIComponent(scalarText(item))}`,
    ),
  );
}

// A list as `3,4`, an object as `a=3,b=4` if it is exploded, or else as `a,3,b,4`. The style `json` is for a parameter
// whose contract declares JSON content.
function joinValue({ isExploded, style }: Text, value: Wire, separator: string, encode: Encode): string {
  if (style === 'json') return encode(toAscii(writeJson(value)));
  const json = toJsonOrRaw(value);
  if (isJsonList(json)) return json.map((item) => encode(scalarText(item))).join(separator);
  if (!isObject(json)) return encode(scalarText(json));
  const members = Object.entries(json).map(([key, member]) => [encode(key), encode(scalarText(member))]);
  return isExploded ? members.map((member) => member.join('=')).join(separator) : members.flat().join(separator);
}

// A Raw, such as the number 1e3, keeps its spelling.
function toJsonOrRaw(value: Wire): Json | Raw {
  return value instanceof Raw ? value : toJson(value);
}

function isObject(value: Json | Raw): value is Readonly<Record<string, Json>> {
  return isJsonObject(value) && !(value instanceof Raw);
}

/** The text of a value without items or members, such as `true` or `1.5`; a nested list or object as JSON. */
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
