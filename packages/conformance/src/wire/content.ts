// Writes and reads bodies by their media types.
import { isUtf8 } from 'node:buffer';
import { essenceOf } from '../contract/media-type';
import type { Content } from '../contract/model';
import { isJsonObject, readJson, toJson, toText, writeJson, type Json, type Wire } from './json';
import { BOUNDARY, toParts, writeParts } from './multipart';
import { writePairs } from './parameter';

/**
 * Encodes a value as a body of a kind: JSON, text, a form, a multipart form, or bytes. The bytes of a file and of other
 * media types are a Latin-1 string, one character a byte.
 *
 * @param content its pointer is named in errors; `parts` says how the properties of a multipart form are written
 */
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

/**
 * Decodes a body: JSON as a value, forms and text as a string, bytes and other media types as a Latin-1 string of one
 * character a byte. Returns an Error when the body is not UTF-8, or not JSON.
 */
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
 * Finds the declared content for a Content-Type: of the type itself, or else of its ranges, such as text/* and any type.
 * Of several, the one with the most matching parameters, such as charset=utf-8; undefined when none matches.
 */
export function findContent(contents: readonly Content[], contentType: string | undefined): Content | undefined {
  if (contentType === undefined) return undefined;
  // The type without its parameters.
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
