import assert from 'node:assert';
import { error } from 'express-openapi-validator';
import { ContractError } from './contract-error';
import type { Carrier, Credentials } from './carrier';
import { parseCookies } from './cookies';
import type { OpenApi } from './enforcement';
import { Refusal } from './errors';
import type { Operation } from './operation';
import { splitPairs, tryDecodeForm } from './pairs';
import { runStep, type SecurityHandlers, type Validator } from './validator';

/** Whose credentials they are. */
export interface Identity {
  /** Who it is, as the issuer of the credentials knows it; undefined where they do not tell. */
  readonly subject?: string | undefined;
}

/**
 * Whose credentials they are; undefined when they do not count. A rejection means that it could not be told.
 *
 * @param credentials a token, a key, or user:password, whatever the scheme asks for
 */
export type Verifier = (credentials: string) => Identity | undefined | Promise<Identity | undefined>;

/** Whose credentials a request carries, by security scheme: those of the first alternative that is met. */
export type Identities = Record<string, Identity>;

/** @throws Refusal when no alternative is met, or that could not be told */
export type Authenticate = (carrier: Carrier) => Promise<Identities>;

/** What the validator is given for a request, and our own account of the credentials. */
interface Attempt {
  readonly carrier: Carrier;
  readonly met: Identities;
  failure?: { readonly cause: unknown };
}

const NOBODY: Identities = Object.freeze({});

/**
 * Handlers of the security schemes that operations use, for express-openapi-validator.
 *
 * @param verifiers by the scheme's name
 * @throws ContractError when a scheme has no verifier, which the validator would take for an open door
 */
export function createSecurityHandlers(
  operations: readonly Operation[],
  verifiers: Readonly<Record<string, Verifier>>,
): SecurityHandlers {
  const used = operations.flatMap(({ security }) => security.flat());
  return Object.fromEntries(
    used.map((credentials) => {
      const { scheme } = credentials;
      const verify = Object.hasOwn(verifiers, scheme) ? verifiers[scheme] : undefined;
      if (!verify) throw new ContractError(`the security scheme ${scheme} has no verifier`);
      return [scheme, (req) => meetScheme((req as unknown as { attempt: Attempt }).attempt, credentials, verify)];
    }),
  );
}

// The validator would answer 401 to a failing verifier, and tell the client what it said.
async function meetScheme(attempt: Attempt, { scheme, read }: Credentials, verify: Verifier): Promise<boolean> {
  const credentials = read(attempt.carrier);
  if (credentials === undefined) return false;
  try {
    const identity = await verify(credentials);
    if (identity === undefined) return false;
    attempt.met[scheme] = identity;
    return true;
  } catch (cause) {
    attempt.failure = { cause };
    return false;
  }
}

/** @param openapi what the validator knows of the operation */
export function createAuthentication(validator: Validator, { security }: Operation, openapi: OpenApi): Authenticate {
  const all = security.flat();
  const isPublic = security.length === 0;
  // Whoever brings credentials is somebody, though nobody may come too.
  const inOrder = [...security.filter((one) => one.length > 0), ...security.filter((one) => one.length === 0)];
  const hasKeys = all.some((credentials) => credentials.challenge === 'ApiKey');
  return async function authenticate(carrier) {
    if (isPublic) return NOBODY;
    const attempt: Attempt = { carrier, met: {} };
    const { headers, queryText } = carrier;
    const keys = hasKeys && {
      query: toRecord(splitPairs(queryText).map(([name, text]) => [tryDecodeForm(name) ?? '', text])),
      cookies: toRecord(parseCookies(headers.cookie)),
    };
    try {
      await runStep(validator.secure, { headers, openapi, attempt, ...keys });
    } catch (cause) {
      throw toSecurityRefusal(attempt, all, cause);
    }
    const alternative = inOrder.find((schemes) => schemes.every(({ scheme }) => Object.hasOwn(attempt.met, scheme)));
    assert(alternative, 'the validator let a request pass that no verifier accepted');
    // Who cannot be told is not nobody.
    if (alternative.length === 0 && attempt.failure) throw toUnavailable(attempt.failure);
    const isUsed = (scheme: string): boolean => alternative.some((one) => one.scheme === scheme);
    return Object.fromEntries(Object.entries(attempt.met).filter(([scheme]) => isUsed(scheme)));
  };
}

// The validator only looks whether there is anything.
function toRecord(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(pairs);
}

function toSecurityRefusal({ carrier, failure }: Attempt, all: readonly Credentials[], cause: unknown): unknown {
  if (!(cause instanceof error.Unauthorized)) return cause;
  if (failure) return toUnavailable(failure);
  const isThere = all.some((credentials) => credentials.isThere(carrier));
  return new Refusal(isThere ? 'CREDENTIALS_INVALID' : 'CREDENTIALS_MISSING');
}

function toUnavailable(failure: { readonly cause: unknown }): Refusal {
  return new Refusal('SERVICE_UNAVAILABLE', undefined, failure);
}
