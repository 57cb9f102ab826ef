import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal/refusal';
import { readJson, type ReadValue } from './read-json';
import { parseForm } from './parse-form';
import { parseMultipart } from './parse-multipart';
import { toValue } from './parameter-style';
import type { BodyMedia } from '../operation/bodies-and-replies';

/** Parses a body; undefined for an empty JSON one, which counts as none. @throws Refusal when it is not of its media type */
export function parseBody(media: BodyMedia, bytes: Buffer, contentType: string): ReadValue | undefined {
  // The shape is that of the whole request: its parameters and body.
  const { kind, shape } = media;
  switch (kind) {
    case 'multipart':
      return parseMultipart(media, bytes, contentType);
    case 'json':
      return bytes.length === 0 ? undefined : readJson(bytes, shape.properties.get('body'));
    case 'form':
      return parseForm(media, toText(bytes));
    case 'text': {
      const text = toText(bytes);
      return { value: toValue(shape.properties.get('body'), text), tokens: text };
    }
    case 'binary':
      return { value: bytes, tokens: undefined };
  }
}

function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  return bytes.toString('utf8');
}
