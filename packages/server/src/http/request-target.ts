// Reads the target of a request.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors/refusal';
import { decodeUnreserved } from '../contract/text/uri';

// RFC 3986 section 3.2: a name or address, and a port; it may be empty.
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/;
// A URL as the target: its host and port, and the rest.
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)/i;

/**
 * Checks that a request can be routed, and changes its `url` to origin-form, such as /pets?limit=1. `OPTIONS *` stays.
 *
 * @throws Refusal when the version is neither HTTP/1.0 nor 1.1, Expect is unknown, Host is missing, doubled or malformed,
 *   Transfer-Encoding is anything but chunked or comes with HTTP/1.0, or the target is neither a path nor a URL, or has a
 *   fragment (RFC 9112 sections 3.2, 6.1)
 */
export function validateAndNormalize(req: IncomingMessage): void {
  const { host, expect, 'transfer-encoding': coding } = req.headers;
  const isHttp11 = req.httpVersion === '1.1';
  if (!isHttp11 && req.httpVersion !== '1.0') throw new Refusal('MALFORMED_REQUEST');
  if (isHttp11 && expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Refusal('MALFORMED_REQUEST');
  }
  // HTTP/1.0 needs no Host. Two Host headers arrive joined by a comma and a space, which the pattern does not match.
  const isHostWrong = host === undefined ? isHttp11 : !HOST.test(host);
  const isCodingWrong = coding !== undefined && !(isHttp11 && coding.toLowerCase() === 'chunked');
  if (isHostWrong || isCodingWrong || req.url?.includes('#') === true) {
    throw new Refusal('MALFORMED_REQUEST');
  }
  if (req.method !== 'OPTIONS' || req.url !== '*') req.url = toOriginForm(String(req.url));
}

/** The path of a target such as /pets?limit=1. Unreserved characters are decoded, as /%70ets is the same path as /pets. */
export function toPath(target: string): string {
  const query = target.indexOf('?');
  return decodeUnreserved(query === -1 ? target : target.slice(0, query));
}

/** The query of a target such as /pets?limit=1, without its question mark; empty if there is none. */
export function toQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? '' : target.slice(query + 1);
}

/** Takes scheme and host away from a target such as http://localhost/pets?limit=1. */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const parts = ABSOLUTE_FORM.exec(target);
  if (!parts || !HOST.test(String(parts[1]))) throw new Refusal('MALFORMED_REQUEST');
  const rest = String(parts[2]);
  // A URL without a path is that of the root.
  return rest.startsWith('/') ? rest : `/${rest}`;
}
