import type { Refusal } from './refusal';
import type { Operation } from '../operation/operation';

/**
 * The WWW-Authenticate header of a 401 (RFC 9110 section 11.6.1): one challenge for each way to authenticate, in the
 * form of RFC 6750 section 3 for bearer tokens. No scheme is registered for API keys, but a 401 needs a challenge.
 */
export function toChallenge({ security }: Operation, realm: string, { kind }: Refusal): string {
  const challenges = new Set(security.flat().map(({ challenge }) => challenge));
  const all = [...challenges].map((challenge) => {
    const isBearerInvalid = challenge === 'Bearer' && kind === 'CREDENTIALS_INVALID';
    return `${challenge} realm="${realm}"${isBearerInvalid ? ', error="invalid_token"' : ''}`;
  });
  return all.join(', ');
}

/** Removes characters that a realm cannot have: it is a quoted string (RFC 9110 section 11.5). */
export function toRealm(title: string): string {
  return title.replace(/[^ -~]|["\\]/g, '');
}
