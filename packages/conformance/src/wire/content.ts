// Writes and reads bodies by their media types.
import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../contract/media-type';
import type { Content } from '../contract/model';
import { isJsonObject, readJson, toJson, toText, writeJson, type Json, type Wire } from './json';
import { BOUNDARY, toParts, writeParts } from './multipart';
import { writePairs } from './parameter';

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
      if (!isJsonObject(json)) throw new Error(`${pointer}: only an object can be a form`);
      return writeParts(
        [...parts].flatMap(([name, part]) => {
          const member = json[name];
          // The property is optional, and not sent.
          return member === undefined ? [] : toParts(name, part, member);
        }),
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

/** Forms and text become a string, bytes a Latin-1 string. An Error when the body is not UTF-8, or not JSON. */
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
 * Finds the declared content for a Content-Type: of the type itself, or else of its ranges, such as text/* and any
 * type. Of several, the one with the most matching parameters, such as charset=utf-8.
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
    return declared.toSorted((one, other) => countMatching(other) - countMatching(one))[0];
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
