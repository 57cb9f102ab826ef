import { isUtf8 } from 'node:buffer';
import type { WireReply } from '../wire/reply';
import { toFramed, toHead, type WireRequest } from '../wire/request';
import { toNames } from '../wire/secret';

/**
 * The bytes of a request as text, with the names of secrets in place of them.
 *
 * @param variables the environment variable with the secret of each security scheme
 */
export function describeRequest(request: WireRequest, base: URL, variables: Readonly<Record<string, string>>): string {
  return `${toNames(toHead(request, base), variables)}${toText(toFramed(request))}`;
}

/** A reply as text; its reason phrase, which means nothing, is not kept. */
export function describeReply({ status, headers, body }: WireReply): string {
  const head = [`HTTP/1.1 ${String(status)}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${toText(body)}`;
}

// What is shown of it is far less, and to look for secrets in all of it takes time.
const MOST = 64 * 1024;

function toText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').slice(0, MOST);
}

/** Ends of lines as people write them, where all of it is to be one line. */
export function toOneLine(text: string): string {
  return text.replaceAll('\r\n', '\\r\\n');
}
