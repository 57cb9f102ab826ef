import { inspect } from 'node:util';
import type { FetchImplementation, JWTVerifyGetKey } from 'jose';
import type { AuthLog } from './tokens';
import { isLoopback } from './loopback';

/** Thrown when a token cannot be verified because there are no keys. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

export function createIssuerKeys(issuer: string, log: AuthLog) {
  const abortController = new AbortController();
  // Why the latest fetch failed; undefined if it succeeded.
  let failure: string | undefined = 'its keys have not been fetched yet';

  // jose's timeout covers both fetches.
  const fetchKeys: FetchImplementation = async (_url, options) => {
    const signal = AbortSignal.any([abortController.signal, options.signal]);
    const keysUrl = await discoverKeysUrl(issuer, signal);
    return fetch(keysUrl, { ...options, signal });
  };
  // jose is an ES module, which Jest cannot require, so an application without an issuer must not load it.
  const url = new URL(issuer);
  const loading = import('jose').then(
    (jose) => ({ ...jose, keySet: jose.createRemoteJWKSet(url, { [jose.customFetch]: fetchKeys }) }),
    fail,
  );

  function fail(error: Error): never {
    const message = `the keys of JWT_ISSUER are not available: ${describeError(error)}`;
    if (failure !== message && !abortController.signal.aborted) log.warn(message);
    failure = message;
    throw new KeysUnavailable(message);
  }

  async function attempt<T>(work: () => Promise<T>, isOfToken: (error: unknown) => boolean): Promise<T> {
    try {
      const result = await work();
      if (failure !== undefined) log.info('the keys of JWT_ISSUER were fetched');
      failure = undefined;
      return result;
    } catch (error) {
      if (isOfToken(error)) throw error;
      return fail(error as Error);
    }
  }

  async function check(): Promise<void> {
    const { keySet } = await loading;
    if (!keySet.fresh) await attempt(keySet.reload, () => false);
  }

  const findKey: JWTVerifyGetKey = async (header, token) => {
    await check();
    const { keySet } = await loading;
    return attempt(() => keySet(header, token), isErrorOfToken);
  };

  // `fail` has already logged the error.
  check().catch(() => undefined);
  return {
    loading,
    findKey,
    check,
    isFailing: () => failure !== undefined,
    close: (): void => {
      abortController.abort();
    },
  };
}

// If jose cannot fetch the keys, it throws the error of fetch, JWKSTimeout, or an error with a generic code.
function isErrorOfToken(error: unknown): boolean {
  return /^ERR_J(?!WKS_TIMEOUT|OSE_GENERIC)/.test(String((error as { code?: unknown }).code));
}

// OpenID Connect Discovery 1.0, section 4.
async function discoverKeysUrl(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`${url} answered ${String(response.status)}`);
  const configuration: unknown = await response.json();
  const { issuer: declaredIssuer, jwks_uri: keysUrl } = Object(configuration) as Readonly<Record<string, unknown>>;
  // Section 4.3: the issuer must match exactly, so that one issuer cannot impersonate another.
  if (declaredIssuer !== issuer)
    throw new Error(`${url} names another issuer: ${inspect(declaredIssuer, { depth: 0, maxStringLength: 200 })}`);
  if (!isTrustedKeysUrl(keysUrl, issuer)) throw new Error(`${url} has no jwks_uri that begins with https://`);
  return keysUrl;
}

// Keys are fetched with TLS, or from loopback if the issuer itself is there. A remote issuer must not direct the server to
// loopback or to an address without TLS.
function isTrustedKeysUrl(keysUrl: unknown, issuer: string): keysUrl is string {
  const url = typeof keysUrl === 'string' ? URL.parse(keysUrl) : null;
  if (url === null) return false;
  const isLoopbackHttp = issuer.startsWith('http:') && url.protocol === 'http:' && isLoopback(url.hostname);
  return url.protocol === 'https:' || isLoopbackHttp;
}

// A fetch error says little, but its cause is the system's error. A JSON.parse error would quote the response.
function describeError({ name, message, cause }: Error): string {
  if (name === 'SyntaxError') return 'the issuer did not answer with JSON';
  if (name !== 'TypeError' || cause === undefined) return message;
  const { code, message: detail } = cause as NodeJS.ErrnoException;
  return `the issuer cannot be reached: ${code ?? detail}`;
}
