// Authenticates requests. The verifiers check the credentials, and EOV decides whether they satisfy the operation.
import { ContractError, type Credentials, type CredentialsCarrier, type Operation } from '@contract-kit/contract';
import type { Request } from 'express';
import { Refusal, ScopeRefusal } from '../errors/refusal';
import { createRequestView, type RequestView } from './request-view';
import type { SecuredRequest, Validator } from '../validate/validator';

/** Who the caller is, and what it is allowed to do. */
export interface Identity {
  /** The caller's name according to the issuer of the credentials, if the issuer gives one. */
  readonly subject?: string | undefined;
  /** The scopes or roles granted to the credentials. Undefined means none. */
  readonly scopes?: readonly string[] | undefined;
  /** The claims of a JWT; undefined for other credentials. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Verifies a token, a key, or user:password. For invalid credentials, it returns undefined, or throws a Refusal of the kind
 * `CREDENTIALS_INVALID` whose `rule` is logged. If it cannot decide, it rejects, and the client gets a 503, or a 501 if
 * `notBuilt` was called. `req` includes anything that middleware added to the request, such as a session.
 */
export type Verifier = (credentials: string, req: RequestView) => Identity | undefined | Promise<Identity | undefined>;

/** The caller's identities, keyed by security scheme, for the alternative that the credentials satisfy. */
export type Identities = Record<string, Identity>;

/** Rejects with a Refusal if the credentials satisfy no alternative, lack a scope, or could not be verified. */
export type Authenticate = (carrier: CredentialsCarrier, req?: Request) => Promise<Identities>;

interface Verdicts {
  readonly identities: Map<string, Identity>;
  failure?: { readonly cause: unknown };
  refusal?: Refusal;
}

const ANONYMOUS: Identities = Object.freeze({});
// Stands for the request in the proof at startup, which has none.
const NO_REQUEST = Object.create(null) as Request;

/**
 * Creates the function that authenticates the requests of an operation.
 *
 * @param security the alternatives, each with the schemes that it requires together; an empty one allows anonymous access
 * @throws ContractError if a scheme has no verifier
 */
export function createAuthentication(
  { security }: Pick<Operation, 'security'>,
  verifiers: Readonly<Record<string, Verifier>>,
  { createIsSecure }: Pick<Validator, 'createIsSecure'>,
): Authenticate {
  const schemes = new Map(security.flat().map((credentials) => [credentials.scheme, credentials]));
  const verify = new Map(Array.from(schemes, ([name, { read }]) => [name, createVerification(name, read, verifiers)]));
  const isSecure = createIsSecure(
    security.map((alternative) => Object.fromEntries(alternative.map(({ scheme, scopes }) => [scheme, scopes]))),
  );
  const keysIn = (location: 'query' | 'cookie'): Credentials[] =>
    [...schemes.values()].filter(({ key }) => key?.location === location);
  const [queryKeys, cookieKeys] = [keysIn('query'), keysIn('cookie')];
  // Anonymous access comes last, so that callers with valid credentials are identified even if they do not need them.
  const alternatives = security.toSorted((left, right) => Number(left.length === 0) - Number(right.length === 0));
  if (security.length === 0) return () => Promise.resolve(ANONYMOUS);

  return async function authenticate(carrier, req = NO_REQUEST) {
    const verdicts: Verdicts = { identities: new Map() };
    const verifications = new Map<string, Promise<void> | undefined>();
    const isAllowed = await isSecure({
      headers: carrier.headers,
      query: readKeys(queryKeys, carrier),
      cookies: readKeys(cookieKeys, carrier),
      isValid(scheme, scopes) {
        if (!verifications.has(scheme)) verifications.set(scheme, verify.get(scheme)?.(carrier, req, verdicts));
        const decide = (): boolean => isGranted(scopes, verdicts.identities, scheme);
        return verifications.get(scheme)?.then(decide) ?? decide();
      },
    });
    return isAllowed ? identify(verdicts) : Promise.reject(toRefusal(verdicts, carrier));
  };

  function identify({ identities, failure }: Verdicts): Identities {
    const match = alternatives.find((alternative) =>
      alternative.every(({ scheme, scopes }) => isGranted(scopes, identities, scheme)),
    );
    if (!match) throw new Error('express-openapi-validator accepted credentials that no verifier accepted');
    // The credentials that could not be verified might be valid, so the caller must not be treated as anonymous.
    if (match.length === 0 && failure) throw toUnavailable(failure);
    return Object.fromEntries(match.map(({ scheme }) => [scheme, identities.get(scheme)])) as Identities;
  }

  // EOV would reply to every failure with a 401 that quotes the verifier's message, so the kit chooses the refusal.
  function toRefusal({ identities, failure, refusal }: Verdicts, carrier: CredentialsCarrier): Refusal {
    // If the verifier had not failed, it might have accepted the credentials.
    if (failure) return toUnavailable(failure);
    const alternativeLackingScope = alternatives.find(
      (alternative) =>
        alternative.every(({ scheme }) => identities.has(scheme)) &&
        !alternative.every(({ scheme, scopes }) => isGranted(scopes, identities, scheme)),
    );
    if (alternativeLackingScope) return new ScopeRefusal(alternativeLackingScope, [...identities.values()]);
    const isPresent = [...schemes.values()].some((credentials) => credentials.isPresent(carrier));
    return refusal ?? new Refusal(isPresent ? 'CREDENTIALS_INVALID' : 'CREDENTIALS_MISSING');
  }
}

const NO_KEYS = Object.freeze({});

// EOV only checks whether a key is present. The kit parses it strictly.
function readKeys(keys: readonly Credentials[], carrier: CredentialsCarrier): SecuredRequest['query'] {
  if (keys.length === 0) return NO_KEYS;
  return Object.fromEntries(keys.map(({ key, read }) => [String(key?.name), read(carrier)] as const));
}

function isGranted(scopes: readonly string[], identities: Verdicts['identities'], scheme: string): boolean {
  const identity = identities.get(scheme);
  return identity !== undefined && scopes.every((scope) => identity.scopes?.includes(scope) === true);
}

/** Adds the result of a scheme's verifier to the verdicts. For an asynchronous verifier, returns a promise that never rejects. */
type Verification = (carrier: CredentialsCarrier, req: Request, verdicts: Verdicts) => Promise<void> | undefined;

function createVerification(
  scheme: string,
  read: Credentials['read'],
  verifiers: Readonly<Record<string, Verifier>>,
): Verification {
  const verifier = Object.hasOwn(verifiers, scheme) ? verifiers[scheme] : undefined;
  if (!verifier) throw new ContractError(`the security scheme ${scheme} has no verifier`);
  return (carrier, req, verdicts) => {
    const credentials = read(carrier);
    if (credentials === undefined) return undefined;
    // A verifier that is written in JavaScript can return true or null.
    const accept = (identity: unknown): void => {
      if (typeof identity === 'object' && identity !== null) verdicts.identities.set(scheme, identity);
    };
    const fail = (cause: unknown): void => {
      if (cause instanceof Refusal && cause.kind === 'CREDENTIALS_INVALID') verdicts.refusal ??= cause;
      else verdicts.failure = { cause };
    };
    try {
      const answer: unknown = verifier(credentials, createRequestView(req));
      if (isThenable(answer)) return Promise.resolve(answer).then(accept, fail);
      accept(answer);
    } catch (cause) {
      fail(cause);
    }
    return undefined;
  };
}

function isThenable(answer: unknown): boolean {
  return typeof (answer as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

// Keeps the refusal of a placeholder verifier, which calls `notBuilt`. Any other failure becomes a 503.
function toUnavailable(failure: { readonly cause: unknown }): Refusal {
  if (failure.cause instanceof Refusal && failure.cause.kind === 'NOT_BUILT') return failure.cause;
  return new Refusal('SERVICE_UNAVAILABLE', undefined, failure);
}
