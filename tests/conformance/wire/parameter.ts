import type { Parameter } from '../contract/model';
import { isJsonList, isJsonObject, writeJson, type Json } from './json';
import type { Header } from './request';

/** What a parameter adds to a request. */
export interface ParameterText {
  readonly path?: string;
  readonly query?: readonly string[];
  readonly header?: Header;
  readonly cookie?: string;
}

/** Writes a parameter as OpenAPI describes it (Parameter Object, Style Values). */
export function writeParameter(parameter: Parameter, value: Json): ParameterText {
  const { name, style } = parameter;
  switch (parameter.in) {
    case 'path':
      return { path: writePath(parameter, value) };
    case 'query':
      return { query: writeQuery(parameter, value) };
    case 'header':
      return { header: [name, join(parameter, value, ',', String)] };
    case 'cookie':
      if (style !== 'form')
        throw new Error(`${parameter.pointer}: no cases can be made for the style ${style} in a cookie`);
      return { cookie: `${name}=${join(parameter, value, ',', encodeURIComponent)}` };
  }
}

function writePath(parameter: Parameter, value: Json): string {
  const { name, style, isExploded } = parameter;
  if (style === 'simple') return join(parameter, value, ',', encodeURIComponent);
  if (style === 'label') return `.${join(parameter, value, isExploded ? '.' : ',', encodeURIComponent)}`;
  if (style !== 'matrix') throw unknownStyle(parameter);
  if (isExploded && isJsonList(value))
    return value.map((item) => `;${name}=${encodeURIComponent(text(item))}`).join('');
  if (isExploded && isJsonObject(value)) return `;${join(parameter, value, ';', encodeURIComponent)}`;
  return `;${name}=${join(parameter, value, ',', encodeURIComponent)}`;
}

function writeQuery(parameter: Parameter, value: Json): string[] {
  const { style, isExploded } = parameter;
  const name = encodeURIComponent(parameter.name);
  if (style === 'deepObject' && isJsonObject(value)) {
    return Object.entries(value).map(
      ([key, member]) => `${name}[${encodeURIComponent(key)}]=${encodeURIComponent(text(member))}`,
    );
  }
  const separators: Readonly<Record<string, string>> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };
  const separator = separators[style];
  if (separator === undefined) throw unknownStyle(parameter);
  if (isExploded && isJsonList(value)) return value.map((item) => `${name}=${encodeURIComponent(text(item))}`);
  if (isExploded && isJsonObject(value)) {
    return Object.entries(value).map(
      ([key, member]) => `${encodeURIComponent(key)}=${encodeURIComponent(text(member))}`,
    );
  }
  return [`${name}=${join(parameter, value, separator, encodeURIComponent)}`];
}

function join({ isExploded }: Parameter, value: Json, separator: string, encode: (text: string) => string): string {
  if (isJsonList(value)) return value.map((item) => encode(text(item))).join(separator);
  if (!isJsonObject(value)) return encode(text(value));
  const pairs = Object.entries(value).map(([key, member]) => [encode(key), encode(text(member))]);
  return isExploded ? pairs.map((pair) => pair.join('=')).join(separator) : pairs.flat().join(separator);
}

function text(value: Json): string {
  return typeof value === 'object' ? writeJson(value) : String(value);
}

function unknownStyle({ pointer, style }: Parameter): Error {
  return new Error(`${pointer}: no cases can be made for the style ${style}`);
}
