import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../contract/media-type';
import type { Content } from '../contract/model';
import { isJsonObject, readJson, toJson, toText, writeJson, type Json, type Wire } from './json';
import { BOUNDARY, toParts, writeParts } from './multipart';
import { writePairs } from './parameter';

/** The bytes of a value by the media type of a body. */
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
      return Buffer.from(writePairs(json).join('&').replaceAll('%20', '+'));
    case 'multipart':
      if (!isJsonObject(json)) throw new Error(`${pointer}: only an object can be a form`);
      return writeParts(
        [...parts].flatMap(([name, part]) => (json[name] === undefined ? [] : toParts(name, part, json[name]))),
      );
    case 'bytes':
    case 'other':
      return Buffer.from(toText(json), 'latin1');
  }
}

/** The header Content-Type of a body that is written like this. */
export function typeOf({ kind, mediaType }: Pick<Content, 'kind' | 'mediaType'>): string {
  return kind === 'multipart' ? `${mediaType}; boundary=${BOUNDARY}` : mediaType;
}

/** The value of a body; bytes are a text of their numbers. An error says why there is none. */
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

/** What is declared for the media type that a header names, the nearest first; undefined where nothing is. */
export function findContent(contents: readonly Content[], type: string | undefined): Content | undefined {
  if (type === undefined) return undefined;
  const essence = essenceOf(type);
  const ranges = [essence, `${essence.split('/')[0] ?? ''}/*`, '*/*'];
  const sent = parametersOf(type);
  // The one counts of which most parameters are there.
  const near = ({ mediaType }: Content): number => parametersOf(mediaType).filter((one) => sent.includes(one)).length;
  return ranges
    .map((range) => contents.filter(({ mediaType }) => essenceOf(mediaType) === range))
    .map((alike) => alike.toSorted((one, other) => near(other) - near(one))[0])
    .find((content) => content !== undefined);
}

function parametersOf(type: string): string[] {
  return type
    .toLowerCase()
    .split(';')
    .slice(1)
    .map((parameter) => parameter.trim());
}
