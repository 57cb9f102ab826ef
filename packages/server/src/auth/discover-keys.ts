import { inspect } from 'node:util';
import type { JWK } from 'jose';
import { fetchJson } from './fetch-json';
import { isLoopback } from './loopback';
import { selectKeys } from './select-keys';

/** Fetches the public keys, at least one, of an OpenID provider (OpenID Connect Discovery 1.0); throws with the reason. */
export async function discoverKeys(issuer: string, signal: AbortSignal): Promise<JWK[]> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: namedIssuer, jwks_uri: keysUrl } = toObject(await fetchJson(url, signal));
  // Section 4.3: the issuer must match exactly, so that one issuer cannot impersonate another.
  if (namedIssuer !== issuer) {
    throw new Error(`${url} is of another issuer: ${inspect(namedIssuer, { depth: 0, maxStringLength: 200 })}`);
  }
  if (!isTrustedKeysUrl(keysUrl, issuer)) throw new Error(`${url} has no jwks_uri that begins with https://`);
  const { keys: publishedKeys } = toObject(await fetchJson(keysUrl, signal));
  const keys = selectKeys(publishedKeys);
  if (keys.length === 0) throw new Error(`${keysUrl} has no key that a signature can be verified with`);
  return keys;
}

// Makes an object of any JSON value, so that its members can be read: of a string or null, they are undefined.
function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

// Whether the keys of an issuer may be fetched from a URL: with TLS, or from loopback if the issuer itself is there. A
// remote issuer, which has https, must not direct requests to loopback, or to an address without TLS.
function isTrustedKeysUrl(keysUrl: unknown, issuer: string): keysUrl is string {
  const url = typeof keysUrl === 'string' ? URL.parse(keysUrl) : null;
  if (url === null) return false;
  const isLocal = issuer.startsWith('http:') && url.protocol === 'http:' && isLoopback(url.hostname);
  return url.protocol === 'https:' || isLocal;
}
