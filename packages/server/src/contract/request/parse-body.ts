import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal/refusal';
import { parseExactJson } from '../json/exact-json';
import { parseMultipart } from './parse-multipart';
import { toValue, type ReadValue } from './parameter-value';
import type { BodyMedia } from '../operation/bodies-and-replies';
import { decodeForm, groupPairs } from './query';
import { childOf, itemOf, type Shape } from '../document/shape';

/**
 * Parses the bytes of a body; undefined for an empty JSON body.
 *
 * @param contentType the header
 * @throws Refusal when the bytes do not match the media type
 */
export function parseBody(
  media: BodyMedia,
  bytes: Buffer,
  contentType: string,
): ReadValue | undefined | Promise<ReadValue> {
  const { kind, shape } = media;
  switch (kind) {
    case 'multipart':
      return parseMultipart(media, bytes, contentType);
    case 'json':
      return bytes.length === 0 ? undefined : parseExactJson(bytes, shape.properties.get('body'));
    case 'form':
      return readForm(shape.properties.get('body'), toText(bytes));
    case 'text': {
      const text = toText(bytes);
      return { value: toValue(shape.properties.get('body'), text), tokens: text };
    }
    case 'binary':
      return { value: bytes, tokens: undefined };
  }
}

// The pairs of an HTML form: a repeated name is an array (OpenAPI: style form, exploded).
function readForm(shape: Shape | undefined, text: string): ReadValue {
  const members = [...groupPairs(text)].map(([name, encoded]): [string, ReadValue] => {
    const all = encoded.map(decodeForm);
    const child = childOf(shape, name);
    if (child?.types.has('array'))
      return [name, { value: all.map((one, index) => toValue(itemOf(child, index), one)), tokens: all }];
    const [first, another] = all as [string, string?];
    if (another !== undefined) throw new Refusal('INVALID_BODY', `request/body/${name} is there twice`);
    return [name, { value: toValue(child, first), tokens: first }];
  });
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    tokens: Object.fromEntries(members.map(([name, { tokens }]) => [name, tokens])),
  };
}

function toText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  return bytes.toString('utf8');
}
