// Writes and reads bodies by their media types.
import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../wire/media-type';
import type { Part } from './read-content';
import type { Content, Parameter, Text } from './model';
import {
  isJsonObject,
  readJson,
  toJson,
  toText,
  writeJson,
  isJsonList,
  Raw,
  type Json,
  type Wire,
  type WireObject,
} from '../wire/json';

/** Files and media types other than JSON, text and forms are a Latin-1 string, one character a byte. */
export function writeContent(
  { kind, pointer, parts }: Pick<Content, 'kind' | 'pointer' | 'parts'>,
  value: Wire,
): Buffer {
  const json = toJson(value);
  switch (kind) {
    case 'json':
      return Buffer.from(writeJson(value));
    case 'text':
      return Buffer.from(toText(json));
    case 'form':
      if (!isJsonObject(json)) throw new Error(`${pointer}: only an object can be a form`);
      // URL Standard, application/x-www-form-urlencoded: a space is a plus.
      return Buffer.from(writePairs(json).join('&').replaceAll('%20', '+'));
    case 'multipart':
      if (!isJsonObject(value)) throw new Error(`${pointer}: only an object can be a form`);
      return writeParts(toFormParts(parts, value));
    case 'bytes':
    case 'other':
      return Buffer.from(toText(json), 'latin1');
  }
}

/** The Content-Type for a body from `writeContent`. */
export function contentTypeOf({ kind, mediaType }: Pick<Content, 'kind' | 'mediaType'>): string {
  return kind === 'multipart' ? `${mediaType}; boundary=${MULTIPART_BOUNDARY}` : mediaType;
}

/** Reads forms and text as a string, bytes as a Latin-1 string. Returns an Error for a body that is malformed. */
export function readContent({ kind }: Pick<Content, 'kind'>, bytes: Buffer): Json | Error {
  if (kind === 'bytes' || kind === 'other') return bytes.toString('latin1');
  if (!isUtf8(bytes)) return new Error('the body is not UTF-8');
  const text = bytes.toString('utf8');
  if (kind !== 'json') return text;
  try {
    return readJson(text);
  } catch (error) {
    return new Error(`the body is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Finds the declared content for a Content-Type: that of the type itself, or else of a range, such as text/* or any
 * type. If several match, returns the one with the most matching parameters, such as charset=utf-8.
 */
export function findContent(contents: readonly Content[], contentType: string | undefined): Content | undefined {
  if (contentType === undefined) return undefined;
  const essence = essenceOf(contentType);
  const fromNarrowToWide = [essence, `${essence.split('/')[0] ?? ''}/*`, '*/*'];
  const sentParameters = parametersOf(contentType);
  const countMatching = ({ mediaType }: Content): number =>
    parametersOf(mediaType).filter((parameter) => sentParameters.includes(parameter)).length;
  const findBest = (range: string): Content | undefined => {
    const declared = contents.filter(({ mediaType }) => essenceOf(mediaType) === range);
    return declared.toSorted((left, right) => countMatching(right) - countMatching(left))[0];
  };
  return fromNarrowToWide.map(findBest).find((content) => content !== undefined);
}

/** The parameters of a media type in lower case, such as ['charset=utf-8'] of `text/csv; charset=UTF-8`. */
function parametersOf(mediaType: string): string[] {
  return mediaType
    .toLowerCase()
    .split(';')
    .slice(1)
    .map((parameter) => parameter.trim());
}

/** The boundary of every form; no value contains it. */
export const MULTIPART_BOUNDARY = 'between-parts-0Zk3';

export interface SentPart {
  readonly name: string;
  /** The name of a file; undefined for a part that is not a file. */
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Writes the bytes of a multipart/form-data (RFC 7578): each part between boundaries, with a head of its own. */
export function writeParts(parts: readonly SentPart[]): Buffer {
  const encodedParts = parts.flatMap(({ name, fileName, type, bytes }) => {
    const fileParameter = fileName === undefined ? '' : `; filename="${quoteParameter(fileName)}"`;
    const disposition = `Content-Disposition: form-data; name="${quoteParameter(name)}"${fileParameter}\r\n`;
    const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${MULTIPART_BOUNDARY}\r\n${disposition}${contentType}\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([...encodedParts, Buffer.from(`--${MULTIPART_BOUNDARY}--\r\n`)]);
}

/** The parts of the properties that are sent. */
export function toFormParts(parts: Content['parts'], form: WireObject): SentPart[] {
  return Object.entries(form).flatMap(([name, value]) => {
    const part = parts.get(name);
    return part ? toParts(name, part, value) : [];
  });
}

// Returns one part, or a part for each item of a list. A file is a Latin-1 string, one character per byte.
function toParts(name: string, { kind, isList, mediaTypes }: Part, value: Wire): SentPart[] {
  const items = isList && isJsonList(value) ? value : [value];
  const [declaredType] = mediaTypes;
  return items.map((item): SentPart => {
    if (kind === 'json') return { name, type: declaredType ?? 'application/json', bytes: Buffer.from(writeJson(item)) };
    // Lists and objects always have kind json, so this is a scalar.
    const content = scalarText(item as string);
    if (kind === 'text') return { name, bytes: Buffer.from(content) };
    const type = toConcreteType(declaredType ?? 'application/octet-stream');
    return { name, fileName: `${name}.bin`, type, bytes: Buffer.from(content, 'latin1') };
  });
}

/** A media type that matches a range; other types stay the same. */
export function toConcreteType(type: string): string {
  return type.replace('*/*', 'application/octet-stream').replace('image/*', 'image/png').replace('*', 'plain');
}

// HTML, multipart form data: only these characters are escaped.
function quoteParameter(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}

/** The texts of a parameter as they are sent: in a query one or more `name=value`, elsewhere one. */
export type ParameterText = readonly string[];

type Encode = (scalarText: string) => string;

/** Writes the value of a parameter for its location, by its style (OpenAPI, Parameter Object, Style Values). */
export function writeParameter(parameter: Parameter, value: Wire): ParameterText {
  const { name } = parameter;
  switch (parameter.in) {
    case 'path':
      return [writePath(parameter, value)];
    case 'query':
      return writeQuery(parameter, value);
    case 'header':
      return [joinValue(parameter, value, ',', keepText)];
    case 'cookie':
      return [`${name}=${joinValue(parameter, value, ',', encodeURIComponent)}`];
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
function writePairs(object: Readonly<Record<string, Json>>): string[] {
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
  return json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function keepText(text: string): string {
  return text;
}
