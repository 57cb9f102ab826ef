// The keys of an issuer (JWKS): fetches and caches them, and finds the key of a token.
import { inspect } from 'node:util';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import type { AuthLog } from './tokens';
import { isLoopback } from './loopback';

/** When the keys are fetched, and how long they are used, in milliseconds. */
export interface KeyTiming {
  /** The timeout of one fetch: discovery and keys together. */
  readonly timeout: number;
  /** The interval of regular fetches. */
  readonly refresh: number;
  /** The interval while fetches fail. */
  readonly retry: number;
  /** The least time between the end of a fetch and the next one for an unknown key. */
  readonly cooldown: number;
  /** How long keys are used while no fetch succeeds. */
  readonly lifetime: number;
}

const DEFAULT_TIMING: KeyTiming = {
  timeout: 3_000,
  refresh: 5 * 60_000,
  retry: 2_000,
  // With one second for the issuer's response, a new key is known within 5.
  cooldown: 4_000,
  lifetime: 60 * 60_000,
};

/** A token cannot be verified now, for lack of keys. */
export class KeysUnavailable extends Error {
  readonly code = 'KEYS_UNAVAILABLE';
}

export function createIssuerKeys(issuer: string, log: AuthLog, timing: Partial<KeyTiming> = {}) {
  const { timeout, refresh, retry, cooldown, lifetime } = { ...DEFAULT_TIMING, ...timing };
  const abortController = new AbortController();
  // Why the latest fetch failed; undefined if it succeeded.
  let failure: string | undefined = 'its keys have not been fetched yet';
  let sinceFetchStart: () => number = () => Infinity;
  let sinceFetchEnd = sinceFetchStart;
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;

  // jose joins the fetches of one time. While they fail, the timer alone begins another: made-up keys cause no more of them.
  const fetchKeys: FetchImplementation = async (_url, { signal }) => {
    if (failure !== undefined && !isScheduled) throw new Error(failure);
    const sinceStart = startWatch();
    try {
      const keys = await discoverKeys(issuer, AbortSignal.any([abortController.signal, signal]));
      if (failure !== undefined) log.info('the keys of JWT_ISSUER were fetched');
      failure = undefined;
      sinceFetchStart = sinceStart;
      sinceFetchEnd = startWatch();
      return Response.json({ keys });
    } catch (error) {
      const { message } = error as Error;
      if (failure !== message && !abortController.signal.aborted)
        log.warn(`the keys of JWT_ISSUER are not available: ${message}`);
      failure = message;
      throw error;
    } finally {
      clearTimeout(timer);
      if (!abortController.signal.aborted)
        timer = setTimeout(fetchByTimer, failure === undefined ? refresh : retry).unref();
    }
  };

  // jose would count times by the clock of the day, and wait for hours after that was set back: it fetches when it has no
  // keys, and otherwise when it is told to.
  const findKey = createRemoteJWKSet(new URL(issuer), {
    timeoutDuration: timeout,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: fetchKeys,
  });
  // Fetched keys are used for `lifetime`, even if later fetches fail.
  const isFresh = (): boolean => sinceFetchEnd() < lifetime;

  function fetchByTimer(): void {
    isScheduled = true;
    // fetchKeys has logged the failure.
    findKey.reload().catch(() => undefined);
    isScheduled = false;
  }

  // The function by which jose finds a key. It rejects with KeysUnavailable if the key may exist but cannot be fetched now.
  // `issuedAt`: the latest time at which the token was issued, in milliseconds since 1970.
  // OpenID Connect Core 1.0 section 10.1.1: an unknown key may be new, so the keys are fetched again, but for the cooldown. An
  // issuer publishes a key before it signs with it: only a token that may have been issued since the last fetch began can have
  // a key that is not known yet.
  function createKeyFinder(issuedAt: number): JWTVerifyGetKey {
    return async (header, token) => {
      try {
        if (!isFresh()) await findKey.reload();
        return await findKey(header, token).catch(async (error: unknown) => {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
          if (sinceFetchEnd() >= cooldown) await findKey.reload();
          else if (Date.now() - issuedAt <= sinceFetchStart())
            throw new Error('its key may be newer than those that were fetched');
          return findKey(header, token);
        });
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw new KeysUnavailable((error as Error).message);
        throw error;
      }
    };
  }

  fetchByTimer();
  return {
    createKeyFinder,
    /** Why there are no keys; undefined when there are. */
    findProblem: () => (isFresh() ? undefined : failure),
    isFailing: () => failure !== undefined,
    close: (): void => {
      abortController.abort();
      clearTimeout(timer);
    },
  };
}

/** Starts to count milliseconds. Neither setting the clock back nor a sleep of the machine makes them fewer. */
function startWatch(): () => number {
  const [time, date] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - time, Date.now() - date);
}

/** Fetches the public keys, at least one, of an OpenID provider (OpenID Connect Discovery 1.0); throws with the reason. */
async function discoverKeys(issuer: string, signal: AbortSignal): Promise<JWK[]> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: namedIssuer, jwks_uri: keysUrl } = toObject(await fetchJson(url, signal));
  // Section 4.3: the issuer must match exactly, so that one issuer cannot impersonate another.
  if (namedIssuer !== issuer) {
    throw new Error(`${url} names another issuer: ${inspect(namedIssuer, { depth: 0, maxStringLength: 200 })}`);
  }
  if (!isTrustedKeysUrl(keysUrl, issuer)) throw new Error(`${url} has no jwks_uri that begins with https://`);
  const { keys } = toObject(await fetchJson(keysUrl, signal));
  // RFC 7517 section 5: ignore what is not understood. jose chooses among the others.
  const found = [keys].flat().filter((key): key is JWK => typeof key === 'object' && key !== null);
  if (found.length === 0) throw new Error(`${keysUrl} has no keys`);
  return found;
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
  const isLoopbackHttp = issuer.startsWith('http:') && url.protocol === 'http:' && isLoopback(url.hostname);
  return url.protocol === 'https:' || isLoopbackHttp;
}

/** Accepts status 200, and follows no redirects. An error begins with the URL and quotes no response. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
    const text = await readText(response);
    if (response.status !== 200) throw new Error(`answered ${String(response.status)}`);
    return parseJson(text);
  } catch (error) {
    throw new Error(`${url} ${describeFetchError(error as Error)}`);
  }
}

// A set of thousands of keys is smaller.
const MOST_BYTES = 1024 ** 2;

// An issuer is not trusted with the memory of the service.
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('answered with more than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// Replaces the error of JSON.parse, which would quote the response.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('did not answer with JSON');
  }
}

// The error of fetch itself says little: its cause is the system's error. The errors of this module have no cause.
function describeFetchError({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'did not answer in time';
  if (cause === undefined) return message;
  const { code, message: detail } = cause as NodeJS.ErrnoException;
  return `cannot be reached: ${code ?? detail}`;
}
