import type { Content } from '../document/document';
import { Mistake } from '../document/mistake';

/** How a body is parsed: as JSON (RFC 8259, RFC 6839), as text, as the pairs of a form, or not at all. */
export type MediaKind = 'json' | 'text' | 'form' | 'binary';

/** The media type of the kit's own messages. */
export const JSON_TYPE = 'application/json';

// RFC 9110 sections 5.6.6 and 8.3.1. Two Content-Type headers, joined by a comma, do not match.
const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+";
const NAME = new RegExp(`^${TOKEN}/${TOKEN}$`);
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*((?:;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^"\\\\,]*")[ \\t]*)*)$`);
const CHARSET = /;[ \t]*charset="?([^";]*)/g;

/**
 * The media type of a `Content-Type`, in lower case; undefined if it is malformed, or if its charset is not UTF-8.
 */
export function parseMediaType(header: string): string | undefined {
  const [, type, parameters = ''] = MEDIA_TYPE.exec(header.toLowerCase()) ?? [];
  const isUtf8 = [...parameters.matchAll(CHARSET)].every(([, charset]) => String(charset).trim() === 'utf-8');
  return isUtf8 ? type : undefined;
}

/**
 * @param isReply whether the body is part of a reply
 * @throws Mistake when the kit does not support the media type
 */
export function toMediaKind(content: Content, type: string, isReply: boolean): MediaKind {
  if (!NAME.test(type) || type.includes('*')) {
    throw new Mistake(content, `the media type ${type} is not supported: spell it out in small letters`, type);
  }
  if (content[type]?.encoding !== undefined) {
    throw new Mistake(content, 'encoding is not supported: leave it out', type);
  }
  if (/^application\/json$|\+json$/.test(type)) return 'json';
  if (type.startsWith('text/')) return 'text';
  if (type === 'application/x-www-form-urlencoded' && !isReply) return 'form';
  if (type.startsWith('multipart/') || type === 'application/x-www-form-urlencoded') {
    throw new Mistake(
      content,
      `the media type ${type} is not supported: send a file as application/octet-stream`,
      type,
    );
  }
  return 'binary';
}
