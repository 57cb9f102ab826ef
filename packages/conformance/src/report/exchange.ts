import { isUtf8 } from 'node:buffer';
import type { WireReply } from '../wire/reply';
import { toFramedBody, toHead, type WireRequest } from '../wire/request';
import { toNames } from '../wire/secret';

/**
 * Describes a request as text, with names instead of secrets.
 *
 * @param variables the environment variable with the secret of each security scheme
 */
export function describeRequest(request: WireRequest, base: URL, variables: Readonly<Record<string, string>>): string {
  return `${toNames(toHead(request, base), variables)}${toText(toFramedBody(request))}`;
}

/** Describes a reply as text, without the reason phrase. */
export function describeReply({ status, headers, body }: WireReply): string {
  const head = [`HTTP/1.1 ${String(status)}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${toText(body)}`;
}

// Much less is shown; this bounds the search for secrets.
const MOST = 64 * 1024;

function toText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').slice(0, MOST);
}

/** Escapes line ends, so that a message is one line. */
export function toOneLine(text: string): string {
  return text.replaceAll('\r\n', '\\r\\n');
}
