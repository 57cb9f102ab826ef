// Reads the target of a request.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal/refusal';
import { decodeUnreserved } from '../text/unreserved';

// RFC 3986 section 3.2: a name or address, and a port.
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)/i;

/**
 * Checks that a request can be routed, and changes its `url` to origin-form, such as /pets?limit=1. `OPTIONS *` stays.
 *
 * @throws Refusal when Host is missing, doubled or malformed, when Transfer-Encoding is anything but chunked, or when the
 *   target is neither a path nor a URL (RFC 9112 sections 3.2, 6.1)
 */
export function validateAndNormalize(req: IncomingMessage): void {
  const { host, expect, 'transfer-encoding': coding } = req.headers;
  const isCurrent = req.httpVersion === '1.1';
  if (!isCurrent && req.httpVersion !== '1.0') throw new Refusal('MALFORMED_REQUEST');
  if (isCurrent && expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Refusal('MALFORMED_REQUEST');
  }
  const isHostWrong = host === undefined ? isCurrent : !HOST.test(host);
  if (isHostWrong || (coding !== undefined && coding.toLowerCase() !== 'chunked')) {
    throw new Refusal('MALFORMED_REQUEST');
  }
  if (req.method !== 'OPTIONS' || req.url !== '*') req.url = toOriginForm(String(req.url));
}

/** The path of a target in origin-form, without its query. Unreserved characters are decoded, so that paths compare equal. */
export function toPath(target: string): string {
  const query = target.indexOf('?');
  return decodeUnreserved(query === -1 ? target : target.slice(0, query));
}

/** The query of a target in origin-form, without its question mark. */
export function toQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? '' : target.slice(query + 1);
}

function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const parts = ABSOLUTE_FORM.exec(target);
  if (!parts || !HOST.test(String(parts[1]))) throw new Refusal('MALFORMED_REQUEST');
  const rest = String(parts[2]);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
