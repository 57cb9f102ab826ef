// Checks the credentials of a request against an operation's alternatives.
import assert from 'node:assert';
import type { CredentialsCarrier, Credentials } from '../operation/credential-types';
import { ContractError } from '../document/mistake';
import { Refusal } from '../refusal/refusal';
import { ScopeRefusal } from '../refusal/scope-refusal';
import type { IsEnough } from '../eov/security';
import type { Operation } from '../operation/operation';

/** The identity of a caller. */
export interface Identity {
  /** The name that the issuer of the credentials gave the caller; undefined if the credentials have none. */
  readonly subject?: string | undefined;
  /** What the credentials are for: the scopes, or roles, that were granted. None unless the verifier says so. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Verifies credentials. Returns undefined for invalid ones; rejects when it cannot decide, which is answered 503.
 *
 * @param credentials a token, a key, or user:password, as the scheme needs
 */
export type Verifier = (credentials: string) => Identity | undefined | Promise<Identity | undefined>;

/** Identities by security scheme: those of the alternative that was met. */
export type Identities = Record<string, Identity>;

/** @throws Refusal when no alternative is met, when its scopes are not granted, or when a verifier failed */
export type Authenticate = (carrier: CredentialsCarrier) => Identities | Promise<Identities>;

/** What the verifiers of one request found: the identities by scheme, and the error of one that failed. */
interface Met {
  readonly identities: Identities;
  failure?: { readonly cause: unknown };
}

const ANONYMOUS: Identities = Object.freeze({});

/**
 * Creates the authentication of an operation.
 *
 * @param verifiers by the scheme's name
 * @param isEnough the decision of express-openapi-validator for a set of schemes that are met
 * @throws ContractError when a scheme has no verifier
 */
export function createAuthentication(
  { security }: Pick<Operation, 'security'>,
  verifiers: Readonly<Record<string, Verifier>>,
  isEnough: IsEnough,
): Authenticate {
  if (security.length === 0) return () => ANONYMOUS;
  const all = [...new Map(security.flat().map((credentials) => [credentials.scheme, credentials])).values()];
  const checks = all.map((credentials) => createCheck(credentials, verifiers));
  // Try alternatives that need credentials first: a caller with valid ones is identified even where anonymous calls are
  // allowed.
  const inOrder = [...security.filter((one) => one.length > 0), ...security.filter((one) => one.length === 0)];

  return function authenticate(carrier) {
    const met: Met = { identities: {} };
    const waiting = checks.map((check) => check(carrier, met)).filter((one) => one !== undefined);
    return waiting.length === 0 ? decide(met, carrier) : Promise.all(waiting).then(() => decide(met, carrier));
  };

  // Returns the identities of the first alternative that is met and whose scopes are granted.
  function decide(met: Met, carrier: CredentialsCarrier): Identities {
    const isMet = (scheme: string): boolean => Object.hasOwn(met.identities, scheme);
    if (!isEnough(isMet)) throw toRefusal(met, all, carrier);
    const accepted = inOrder.filter((schemes) => schemes.every(({ scheme }) => isMet(scheme)));
    assert(accepted[0], 'the validator let a request pass that no verifier accepted');
    const alternative = accepted.find((schemes) => schemes.every((one) => isGranted(one, met.identities[one.scheme])));
    if (!alternative) throw met.failure ? toUnavailable(met.failure) : new ScopeRefusal(accepted[0]);
    // A verifier failed, so do not fall back to anonymous.
    if (alternative.length === 0 && met.failure) throw toUnavailable(met.failure);
    const used = alternative.map(({ scheme }) => [scheme, met.identities[scheme]] as const);
    return Object.fromEntries(used) as Identities;
  }
}

// Fails closed: an identity without scopes has none.
function isGranted({ scopes }: Credentials, identity: Identity | undefined): boolean {
  return scopes.every((scope) => identity?.scopes?.includes(scope) === true);
}

/** Creates the check of one scheme, which adds its result to `met`. It returns a promise only if the verifier does. */
function createCheck(
  { scheme, read }: Credentials,
  verifiers: Readonly<Record<string, Verifier>>,
): (carrier: CredentialsCarrier, met: Met) => Promise<void> | undefined {
  const verify = Object.hasOwn(verifiers, scheme) ? verifiers[scheme] : undefined;
  if (!verify) throw new ContractError(`the security scheme ${scheme} has no verifier`);
  return (carrier, met) => {
    // A verifier in JavaScript may return true or null, which is no identity.
    const keep = (identity: unknown): void => {
      if (typeof identity === 'object' && identity !== null) met.identities[scheme] = identity;
    };
    const fail = (cause: unknown): void => {
      met.failure = { cause };
    };
    const credentials = read(carrier);
    if (credentials === undefined) return undefined;
    try {
      const verdict = verify(credentials);
      // `then`, not instanceof Promise: libraries have promises of their own.
      if (verdict && 'then' in Object(verdict)) return Promise.resolve(verdict).then(keep, fail);
      keep(verdict);
    } catch (cause) {
      fail(cause);
    }
    return undefined;
  };
}

function toRefusal({ failure }: Met, all: readonly Credentials[], carrier: CredentialsCarrier): Refusal {
  if (failure) return toUnavailable(failure);
  const isPresent = all.some((credentials) => credentials.isPresent(carrier));
  return new Refusal(isPresent ? 'CREDENTIALS_INVALID' : 'CREDENTIALS_MISSING');
}

function toUnavailable(failure: { readonly cause: unknown }): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', undefined, failure);
}
