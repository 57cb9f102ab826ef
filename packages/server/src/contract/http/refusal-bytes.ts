import { toExactJson } from '../json/exact-json';
import { isJson, parseMediaType } from '../operation/media-type';
import type { RenderedRefusal } from '../refusal/render';

/** The body of a refusal as it is sent: JSON, except for bytes, and for a text of another media type. Empty without a body. */
export function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  const isReady = Buffer.isBuffer(body) || (typeof body === 'string' && !isJsonType(type));
  return isReady ? body : toExactJson(body);
}

// A malformed media type counts as JSON.
function isJsonType(text: string): boolean {
  const type = parseMediaType(text);
  return type === undefined || isJson(type);
}
