// Checks the credentials of a request against an operation's alternatives.
import type { CredentialsCarrier, Credentials } from '../contract/operation/credentials';
import { ContractError } from '../contract/text/mistake';
import { Refusal, ScopeRefusal } from '../errors/refusal';
import type { Operation } from '../contract/operation/operation';

/** The identity of a caller. */
export interface Identity {
  /** The name that the issuer of the credentials gave the caller; undefined if the credentials have none. */
  readonly subject?: string | undefined;
  /** The scopes or roles that the credentials were granted; undefined counts as none. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Verifies a token, a key, or user:password. Returns undefined for a wrong one, or throws a Refusal, `CREDENTIALS_INVALID`, with
 * the `rule` that it breaks, for the log; rejects if it cannot decide: answered 503. One that calls `notBuilt` is answered 501.
 */
export type Verifier = (credentials: string) => Identity | undefined | Promise<Identity | undefined>;

/** Identities by security scheme: those of the alternative that was met. */
export type Identities = Record<string, Identity>;

/** @throws Refusal when no alternative is met, when its scopes are not granted, or when a verifier failed */
export type Authenticate = (carrier: CredentialsCarrier) => Identities | Promise<Identities>;

// The results of the verifiers for one request; `failure` is the error of a verifier that could not decide.
interface Verdicts {
  readonly identities: Identities;
  failure?: { readonly cause: unknown };
  /** The first refusal that a verifier threw, with the rule that the credentials break. */
  refusal?: Refusal;
}

const ANONYMOUS: Identities = Object.freeze({});

/**
 * Creates the function that authenticates the requests of an operation.
 *
 * @param security the alternatives: each lists the schemes that are needed together; an empty one allows anonymous calls
 * @throws ContractError when a scheme has no verifier
 */
export function createAuthentication(
  { security }: Pick<Operation, 'security'>,
  verifiers: Readonly<Record<string, Verifier>>,
): Authenticate {
  if (security.length === 0) return () => ANONYMOUS;
  // Several alternatives may need the same scheme: check each scheme once.
  const schemes = [...new Map(security.flat().map((credentials) => [credentials.scheme, credentials])).values()];
  const checks = schemes.map((credentials) => createCheck(credentials, verifiers));
  // Those that need credentials come first: a caller with valid ones is identified even where anonymous calls are allowed.
  const isAnonymous = (alternative: readonly Credentials[]): boolean => alternative.length === 0;
  const alternatives = [
    ...security.filter((alternative) => !isAnonymous(alternative)),
    ...security.filter(isAnonymous),
  ];

  return function authenticate(carrier) {
    const verdicts: Verdicts = { identities: {} };
    const pending = checks.map((check) => check(carrier, verdicts)).filter((promise) => promise !== undefined);
    if (pending.length > 0) return Promise.all(pending).then(() => decide(verdicts, carrier));
    return decide(verdicts, carrier);
  };

  // Returns the identities of the first alternative whose schemes all have valid credentials, with all scopes granted.
  function decide(verdicts: Verdicts, carrier: CredentialsCarrier): Identities {
    const { identities, failure } = verdicts;
    const satisfied = alternatives.filter((alternative) =>
      alternative.every(({ scheme }) => Object.hasOwn(identities, scheme)),
    );
    if (!satisfied[0]) throw toUnauthorized(verdicts, schemes, carrier);
    const granted = satisfied.find((alternative) =>
      alternative.every((credentials) => isGranted(credentials, identities[credentials.scheme])),
    );
    // The verifier that failed might have granted the scopes.
    if (!granted) throw failure ? toUnavailable(failure) : new ScopeRefusal(satisfied[0]);
    // Do not fall back to anonymous either: the credentials that could not be verified may be valid.
    if (isAnonymous(granted) && failure) throw toUnavailable(failure);
    return Object.fromEntries(granted.map(({ scheme }) => [scheme, identities[scheme]])) as Identities;
  }
}

// Fails closed: an identity without scopes has none.
function isGranted({ scopes }: Credentials, identity: Identity | undefined): boolean {
  return scopes.every((scope) => identity?.scopes?.includes(scope) === true);
}

// The check of one scheme adds its result to `verdicts`, and throws nothing. It returns a promise only if the verifier does.
function createCheck(
  { scheme, read }: Credentials,
  verifiers: Readonly<Record<string, Verifier>>,
): (carrier: CredentialsCarrier, verdicts: Verdicts) => Promise<void> | undefined {
  const verify = Object.hasOwn(verifiers, scheme) ? verifiers[scheme] : undefined;
  if (!verify) throw new ContractError(`the security scheme ${scheme} has no verifier`);
  return (carrier, verdicts) => {
    // A verifier in JavaScript may return true or null, which is no identity.
    const addIdentity = (identity: unknown): void => {
      if (typeof identity === 'object' && identity !== null) verdicts.identities[scheme] = identity;
    };
    const addFailure = (cause: unknown): void => {
      if (cause instanceof Refusal && cause.kind === 'CREDENTIALS_INVALID') verdicts.refusal ??= cause;
      else verdicts.failure = { cause };
    };
    const credentials = read(carrier);
    if (credentials === undefined) return undefined;
    try {
      const verdict = verify(credentials);
      // `then`, not instanceof Promise: libraries have promises of their own. Object(): `in` throws for `true` or a string.
      if (verdict && 'then' in Object(verdict)) return Promise.resolve(verdict).then(addIdentity, addFailure);
      addIdentity(verdict);
    } catch (cause) {
      addFailure(cause);
    }
    return undefined;
  };
}

function toUnauthorized(
  { failure, refusal }: Verdicts,
  schemes: readonly Credentials[],
  carrier: CredentialsCarrier,
): Refusal {
  if (failure) return toUnavailable(failure);
  const isPresent = schemes.some((credentials) => credentials.isPresent(carrier));
  return refusal ?? new Refusal(isPresent ? 'CREDENTIALS_INVALID' : 'CREDENTIALS_MISSING');
}

// A verifier that is not written yet says so itself, by `notBuilt`.
function toUnavailable(failure: { readonly cause: unknown }): Refusal {
  if (failure.cause instanceof Refusal && failure.cause.kind === 'NOT_BUILT') return failure.cause;
  return new Refusal('SERVICE_UNAVAILABLE', undefined, failure);
}
