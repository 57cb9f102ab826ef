import { inspect } from 'node:util';
import type { JWK } from 'jose';
import { fetchJson } from './fetch-json';
import { isLoopback } from './loopback';
import { selectKeys } from './select-keys';

/**
 * Fetches the current public keys of an OpenID provider (OpenID Connect Discovery 1.0).
 *
 * @param issuer its identifier, character for character
 * @throws Error with the reason
 */
export async function discoverKeys(issuer: string, signal: AbortSignal): Promise<JWK[]> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: address } = toObject(await fetchJson(url, signal));
  // Section 4.3: the issuer must match exactly, so that one issuer cannot impersonate another.
  if (named !== issuer) {
    throw new Error(`${url} is of another issuer: ${inspect(named, { depth: 0, maxStringLength: 200 })}`);
  }
  if (!isTrusted(address, issuer)) throw new Error(`${url} has no jwks_uri that begins with https://`);
  const { keys: members } = toObject(await fetchJson(address, signal));
  const keys = selectKeys(members);
  if (keys.length === 0) throw new Error(`${address} has no key that a signature can be verified with`);
  return keys;
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

// A remote issuer must not direct requests to loopback, or to an address without TLS.
function isTrusted(address: unknown, issuer: string): address is string {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null) return false;
  return (
    url.protocol === 'https:' || (issuer.startsWith('http:') && url.protocol === 'http:' && isLoopback(url.hostname))
  );
}
