import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../contract/media-type';
import type { Content } from '../contract/model';
import { isJsonObject, readJson, toJson, toText, writeJson, type Json, type Wire } from './json';
import { BOUNDARY, toParts, writeParts } from './multipart';
import { writePairs } from './parameter';

/** Encodes a value in the media type of a body. */
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

/** The Content-Type for a body from `writeContent`. */
export function typeOf({ kind, mediaType }: Pick<Content, 'kind' | 'mediaType'>): string {
  return kind === 'multipart' ? `${mediaType}; boundary=${BOUNDARY}` : mediaType;
}

/** Decodes a body; bytes become a Latin-1 string. Returns an Error when it is malformed. */
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
 * The declared content that matches a Content-Type best: the type itself, then its ranges; undefined when none matches.
 */
export function findContent(contents: readonly Content[], type: string | undefined): Content | undefined {
  if (type === undefined) return undefined;
  const essence = essenceOf(type);
  const ranges = [essence, `${essence.split('/')[0] ?? ''}/*`, '*/*'];
  const sent = parametersOf(type);
  // Of equal types, prefer the one with the most matching parameters.
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
