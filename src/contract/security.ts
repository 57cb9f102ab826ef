import { error } from 'express-openapi-validator';
import { parseBearer } from './bearer';
import { resolveReference, type Document, type SecurityScheme } from './document';
import { ContractError } from './contract-error';
import { Refusal } from './errors';
import type { SecurityHandlers, ValidatedRequest } from './validator';

/** Whether a token counts. A rejection means that it could not be told. */
export type Verifier = (token: string) => boolean | Promise<boolean>;

/** A verifier for each security scheme of the contract, by the scheme's name. */
export type Verifiers = Readonly<Record<string, Verifier>>;

const BEARER = /^Bearer(?: |$)/i;

/**
 * Handlers of the contract's security schemes for express-openapi-validator.
 *
 * @throws ContractError when a scheme has no verifier, which the validator would take for an open door
 */
export function createSecurityHandlers(document: Document, verifiers: Verifiers): SecurityHandlers {
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  return Object.fromEntries(
    schemes.map(([name, node]) => {
      const { type, scheme } = resolveReference<SecurityScheme>(document, node);
      if (type !== 'http' || scheme?.toLowerCase() !== 'bearer') {
        throw new ContractError(`the security scheme ${name} is not supported, only http bearer`);
      }
      const verify = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined;
      if (!verify) throw new ContractError(`the security scheme ${name} has no verifier`);
      return [name, (req) => meetScheme(req as ValidatedRequest, verify)];
    }),
  );
}

// The validator would answer 401 to a failing verifier, and tell the client what it said.
async function meetScheme({ headers, openapi }: ValidatedRequest, verify: Verifier): Promise<boolean> {
  const token = parseBearer(String(headers.authorization));
  if (token === undefined) return false;
  try {
    const isMet = await verify(token);
    openapi.security.isMet ||= isMet;
    return isMet;
  } catch (cause) {
    openapi.security.failure = { cause };
    return false;
  }
}

/** Why a request did not pass, after express-openapi-validator said that it does not. */
export function toSecurityRefusal({ headers, openapi }: ValidatedRequest, cause: unknown): unknown {
  if (!(cause instanceof error.Unauthorized)) return cause;
  const { failure } = openapi.security;
  if (failure) return new Refusal('SERVICE_UNAVAILABLE', undefined, failure);
  return new Refusal(BEARER.test(String(headers.authorization)) ? 'CREDENTIALS_INVALID' : 'CREDENTIALS_MISSING');
}
