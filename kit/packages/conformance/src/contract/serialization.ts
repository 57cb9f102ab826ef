import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../wire/media-type';
import { readItems, writeItems, type Framing } from '../wire/sequence';
import type { Part } from './read-content';
import type { Content, Parameter } from './model';
import {
  isJsonObject,
  isSame,
  objectOrEmpty,
  readJson,
  toJson,
  toText,
  writeJson,
  isJsonList,
  Raw,
  type Json,
  type JsonObject,
  type Wire,
  type WireObject,
} from '../wire/json';

/** Serializes a body. Bytes, files in forms and the kind `other` are Latin-1 strings with one character per byte. */
export function writeContent(
  {
    kind,
    pointer,
    parts,
    fields,
    framing = 'jsonl',
  }: Pick<Content, 'kind' | 'pointer' | 'parts' | 'fields' | 'framing'>,
  value: Wire,
): Buffer {
  const json = toJson(value);
  switch (kind) {
    case 'json':
      return Buffer.from(writeJson(value));
    case 'text':
      return Buffer.from(toText(json));
    case 'form':
      if (!isJsonObject(json)) throw new Error(`${pointer}: the value of a form must be an object`);
      // URL Standard, application/x-www-form-urlencoded: a space becomes a plus.
      return Buffer.from(writeForm(json, fields).join('&').replaceAll('%20', '+'));
    case 'multipart':
      if (!isJsonObject(value)) throw new Error(`${pointer}: the value of a form must be an object`);
      return writeParts(toFormParts(parts, value));
    case 'sequence':
      return writeItems(framing, value);
    case 'bytes':
    case 'other':
      return Buffer.from(toText(json), 'latin1');
  }
}

function writeForm(form: JsonObject, fields: Content['fields']): string[] {
  return Object.entries(form).flatMap(([name, member]) => {
    const field = fields?.get(name);
    return field ? writeParameter({ in: 'query', name, ...field }, member) : writePairs({ [name]: member });
  });
}

/** Whether the items are the same after they are written and read. Events cannot express every value. */
export function canRoundTrip(framing: Framing, items: Json): boolean {
  // An empty list has no bytes, so a server may treat it as a missing body.
  if (!isJsonList(items) || items.length === 0) return false;
  if (framing !== 'events') return true;
  // A server may treat an empty event name or id as missing.
  const hasEmptyField = items.some((item) =>
    Object.entries(objectOrEmpty(item)).some(([name, value]) => name !== 'data' && value === ''),
  );
  const read = readItems(framing, writeItems(framing, items));
  return (
    !hasEmptyField &&
    isSame(
      read,
      items.map((value) => ({ value })),
    )
  );
}

export function contentTypeOf({ kind, mediaType }: Pick<Content, 'kind' | 'mediaType'>): string {
  return kind === 'multipart' ? `${mediaType}; boundary=${MULTIPART_BOUNDARY}` : mediaType;
}

/** Returns JSON as its value, bytes as a Latin-1 string, other bodies as text, and a malformed body as an Error. */
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

/** Prefers an exact type to a range such as text/*, and then the type with the most matching parameters. */
export function findContent(contents: readonly Content[], contentType: string | undefined): Content | undefined {
  if (contentType === undefined) return undefined;
  const essence = essenceOf(contentType);
  const rangesBySpecificity = [essence, `${essence.split('/')[0] ?? ''}/*`, '*/*'];
  const sentParameters = parametersOf(contentType);
  const countMatching = ({ mediaType }: Content): number =>
    parametersOf(mediaType).filter((parameter) => sentParameters.includes(parameter)).length;
  const findBest = (range: string): Content | undefined => {
    const declared = contents.filter(({ mediaType }) => essenceOf(mediaType) === range);
    return declared.toSorted((left, right) => countMatching(right) - countMatching(left))[0];
  };
  return rangesBySpecificity.map(findBest).find((content) => content !== undefined);
}

/** Returns `['charset=utf-8']` for `text/csv; charset=UTF-8`. */
function parametersOf(mediaType: string): string[] {
  return mediaType
    .toLowerCase()
    .split(';')
    .slice(1)
    .map((parameter) => parameter.trim());
}

/** No value that the suite sends contains this boundary. */
export const MULTIPART_BOUNDARY = 'between-parts-0Zk3';

export interface SentPart {
  readonly name: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Writes multipart/form-data (RFC 7578). */
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

export function toFormParts(parts: Content['parts'], form: WireObject): SentPart[] {
  return Object.entries(form).flatMap(([name, value]) => {
    const part = parts.get(name);
    return part ? toParts(name, part, value) : [];
  });
}

// A file is a Latin-1 string with one character per byte.
function toParts(name: string, { kind, isList, mediaTypes }: Part, value: Wire): SentPart[] {
  const items = isList && isJsonList(value) ? value : [value];
  const [declaredType] = mediaTypes;
  return items.map((item): SentPart => {
    if (kind === 'json') return { name, type: declaredType ?? 'application/json', bytes: Buffer.from(writeJson(item)) };
    // Lists and objects always have the kind json, so this is a scalar.
    const content = scalarText(item as string);
    if (kind === 'text') return { name, bytes: Buffer.from(content) };
    const type = toConcreteType(declaredType ?? 'application/octet-stream');
    return { name, fileName: `${name}.bin`, type, bytes: Buffer.from(content, 'latin1') };
  });
}

/** Replaces a range such as `image/*` with a media type that matches it. */
export function toConcreteType(type: string): string {
  return type.replace('*/*', 'application/octet-stream').replace('image/*', 'image/png').replace('*', 'plain');
}

// HTML, multipart form data: only these characters are escaped.
function quoteParameter(text: string): string {
  return text.replace(/["\r\n]/g, encodeURIComponent);
}

/** In a query, one or more `name=value` strings; elsewhere, a single string. */
export type ParameterText = readonly string[];

/** Delimiters between values. Other styles use a comma, except for an exploded `label`. */
export const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };
const PREFIXES: Readonly<Record<string, string>> = { label: '.', matrix: ';' };

type StyledParameter = Pick<Parameter, 'in' | 'name' | 'style' | 'isExploded' | 'content'>;

/** Serializes a parameter by its style (OpenAPI, Parameter Object, Style Values). */
export function writeParameter(parameter: StyledParameter, value: Wire): ParameterText {
  const { in: location, style, content } = parameter;
  if (content) return [toQuery(content, writeContent(content, value))];
  const isQuery = location === 'query';
  const name = isQuery ? encodePercent(parameter.name) : parameter.name;
  // A Raw is sent unchanged.
  const raw = style === 'json' ? new Raw(toAscii(writeJson(value))) : value;
  const json = raw instanceof Raw ? raw : toJson(raw);
  if (style === 'deepObject' && isObject(json)) return writePairs(json, (key) => `${name}[${encodePercent(key)}]`);
  const texts = expandValue(parameter, json, name);
  if (isQuery || style === 'cookie') return texts;
  // RFC 6570 section 3.2.7: there is no equals sign before an empty value.
  const expansions = style === 'matrix' ? texts.map((text) => text.replace(/=$/, '')) : texts;
  return [`${PREFIXES[style] ?? ''}${expansions.join(';')}`];
}

/** Encodes a body as a whole query, for a parameter in `querystring`. */
export function toQuery({ kind }: Pick<Content, 'kind'>, body: Buffer): string {
  const latin1 = body.toString('latin1');
  const encode = (byte: string): string => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
  return kind === 'form' ? latin1 : latin1.replace(/[^\w.~-]/g, encode);
}

/** Encodes every character that is not unreserved (RFC 6570 section 3.2.1, RFC 3986 section 2.3). */
function encodePercent(text: string): string {
  const encode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, encode);
}

// In exploded form, a list repeats the name, and each member of an object uses its own name.
function expandValue({ in: location, style, isExploded }: StyledParameter, json: Json | Raw, name: string): string[] {
  const isNamed = location === 'query' || location === 'cookie' || style === 'matrix';
  const isUnencoded = location === 'header' || style === 'cookie';
  const encode = isUnencoded ? (text: string): string => text : encodePercent;
  if (isNamed && isExploded && isJsonList(json)) return writePairs({ [name]: json }, () => name, encode);
  if (isNamed && isExploded && isObject(json)) return writePairs(json, encode, encode);
  const delimiter = style === 'label' && isExploded ? '.' : (DELIMITERS[style] ?? ',');
  const text = joinValue(json, isExploded, delimiter, encode);
  return [isNamed ? `${name}=${text}` : text];
}

/** Repeats the name for each item of a list: { a: 'b c', d: [1n, 2n] } becomes ['a=b%20c', 'd=1', 'd=2']. */
function writePairs(
  object: Readonly<Record<string, Json>>,
  toName = encodePercent,
  encode: typeof encodePercent = encodePercent,
): string[] {
  return Object.entries(object).flatMap(([key, member]) =>
    (isJsonList(member) ? member : [member]).map((item) => `${toName(key)}=${encode(scalarText(item))}`),
  );
}

// Turns a list into `3,4`, an exploded object into `a=3,b=4`, and any other object into `a,3,b,4`.
function joinValue(
  json: Json | Raw,
  isExploded: boolean,
  delimiter: string,
  encode: (scalarText: string) => string,
): string {
  if (isJsonList(json)) return json.map((item) => encode(scalarText(item))).join(delimiter);
  if (!isObject(json)) return encode(scalarText(json));
  const members = Object.entries(json).map(([key, member]) => [encode(key), encode(scalarText(member))]);
  return members.map((member) => member.join(isExploded ? '=' : delimiter)).join(delimiter);
}

function isObject(value: Json | Raw): value is Readonly<Record<string, Json>> {
  return isJsonObject(value) && !(value instanceof Raw);
}

/** Writes a scalar as text, and a nested list or object as JSON. */
export function scalarText(value: Json | Raw): string {
  return typeof value === 'object' ? writeJson(value) : String(value);
}

// Header values are ASCII, so other characters are written as JSON escapes.
function toAscii(json: string): string {
  return json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
