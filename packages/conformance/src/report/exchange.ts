import { isUtf8 } from 'node:buffer';
import type { WireReply } from '../wire/reply';
import { toFramedBody, toHead, type WireRequest } from '../wire/request';
import { toNames } from '../wire/secret';

/** Describes a request as text, with the names of environment variables instead of secrets. */
export function describeRequest(request: WireRequest, base: URL, variables: Readonly<Record<string, string>>): string {
  return `${toNames(toHead(request, base), variables)}${toText(toFramedBody(request))}`;
}

/** Without a reason phrase after the status, which is not kept. */
export function describeReply({ status, headers, body }: WireReply): string {
  const head = [`HTTP/1.1 ${String(status)}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${toText(body)}`;
}

// Much less is shown; this bounds the search for secrets.
const MAX_BODY_LENGTH = 64 * 1024;

// Bytes that are not UTF-8 are shown as Latin-1.
function toText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').slice(0, MAX_BODY_LENGTH);
}

export function toOneLine(text: string): string {
  return text.replaceAll('\r\n', '\\r\\n');
}
