import { toExactJson } from '../json/exact-json';
import { isJson, parseMediaType } from '../operation/media-type';
import type { RenderedRefusal } from '../refusal/render';

/** The body of a refusal as it is sent: a JSON text, a text or bytes as they are, or nothing. */
export function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  return Buffer.isBuffer(body) || (typeof body === 'string' && !isOfJson(type)) ? body : toExactJson(body);
}

function isOfJson(text: string): boolean {
  const type = parseMediaType(text);
  return type === undefined || isJson(type);
}
