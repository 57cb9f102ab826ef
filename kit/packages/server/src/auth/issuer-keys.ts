import { inspect } from 'node:util';
import type { FetchImplementation, JWTVerifyGetKey } from 'jose';
import type { AuthLog } from './tokens';
import { isLoopback } from './loopback';

/** Thrown if a token cannot be verified because the issuer's keys are not available. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

export function createIssuerKeys(issuer: string, log: AuthLog) {
  const abortController = new AbortController();
  // The reason why the latest fetch failed; undefined if it succeeded.
  let failure: string | undefined = 'its keys have not been fetched yet';

  // jose's signal limits the time of both fetches together.
  const fetchKeys: FetchImplementation = async (_url, options) => {
    const signal = AbortSignal.any([abortController.signal, options.signal]);
    const keysUrl = await discoverKeysUrl(issuer, signal);
    return fetch(keysUrl, { ...options, signal });
  };
  // jose is an ES module, which Jest cannot require, so it is imported only if there is an issuer.
  const url = new URL(issuer);
  const josePromise = import('jose').then(
    (jose) => ({ ...jose, keySet: jose.createRemoteJWKSet(url, { [jose.customFetch]: fetchKeys }) }),
    fail,
  );

  function fail(error: Error): never {
    const message = `the keys of JWT_ISSUER are not available: ${describeError(error)}`;
    if (failure !== message && !abortController.signal.aborted) log.warn(message);
    failure = message;
    throw new KeysUnavailable(message);
  }

  async function attempt<T>(work: () => Promise<T>, isTokenError: (error: unknown) => boolean): Promise<T> {
    try {
      const result = await work();
      if (failure !== undefined) log.info('the keys of JWT_ISSUER were fetched');
      failure = undefined;
      return result;
    } catch (error) {
      if (isTokenError(error)) throw error;
      return fail(error as Error);
    }
  }

  async function check(): Promise<void> {
    const { keySet } = await josePromise;
    if (!keySet.fresh) await attempt(keySet.reload, () => false);
  }

  const findKey: JWTVerifyGetKey = async (header, token) => {
    await check();
    const { keySet } = await josePromise;
    return attempt(() => keySet(header, token), isCausedByToken);
  };

  check().catch(() => undefined);
  return {
    josePromise,
    findKey,
    check,
    isFailing: () => failure !== undefined,
    close: (): void => {
      abortController.abort();
    },
  };
}

// If jose cannot fetch the keys, it throws fetch's error, JWKSTimeout, or an error with a generic code.
function isCausedByToken(error: unknown): boolean {
  return /^ERR_J(?!WKS_TIMEOUT|OSE_GENERIC)/.test(String((error as { code?: unknown }).code));
}

// Reads the URL of the issuer's keys from its configuration (OpenID Connect Discovery 1.0, section 4).
async function discoverKeysUrl(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`${url} answered ${String(response.status)}`);
  const configuration: unknown = await response.json();
  const { issuer: declaredIssuer, jwks_uri: keysUrl } = Object(configuration) as Readonly<Record<string, unknown>>;
  // The issuer must match exactly (section 4.3), so that one issuer cannot impersonate another.
  if (declaredIssuer !== issuer)
    throw new Error(`${url} names another issuer: ${inspect(declaredIssuer, { depth: 0, maxStringLength: 200 })}`);
  if (!isTrustedKeysUrl(keysUrl, issuer)) throw new Error(`${url} has no jwks_uri that begins with https://`);
  return keysUrl;
}

// Keys are fetched with TLS, or from loopback if the issuer itself is on loopback. A remote issuer must not direct the server
// to loopback or to an address without TLS.
function isTrustedKeysUrl(keysUrl: unknown, issuer: string): keysUrl is string {
  const url = typeof keysUrl === 'string' ? URL.parse(keysUrl) : null;
  if (url === null) return false;
  const isLoopbackHttp = issuer.startsWith('http:') && url.protocol === 'http:' && isLoopback(url.hostname);
  return url.protocol === 'https:' || isLoopbackHttp;
}

// A fetch error says little, but its cause is the system error. An error from JSON.parse would quote the response.
function describeError({ name, message, cause }: Error): string {
  if (name === 'SyntaxError') return 'the issuer did not answer with JSON';
  if (name !== 'TypeError' || cause === undefined) return message;
  const { code, message: detail } = cause as NodeJS.ErrnoException;
  return `the issuer cannot be reached: ${code ?? detail}`;
}
