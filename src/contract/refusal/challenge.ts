import type { Refusal } from './refusal';
import type { Operation } from '../operation/operation';

/**
 * What a 401 asks for (RFC 9110 section 11.6.1): a challenge for each way to authenticate, those for bearer tokens as
 * RFC 6750 section 3 has them. There is no registered one for keys; a 401 needs one all the same.
 */
export function toChallenge({ security }: Operation, realm: string, { kind }: Refusal): string {
  const challenges = new Set(security.flat().map(({ challenge }) => challenge));
  const all = [...challenges].map((challenge) => {
    const isBearerInvalid = challenge === 'Bearer' && kind === 'CREDENTIALS_INVALID';
    return `${challenge} realm="${realm}"${isBearerInvalid ? ', error="invalid_token"' : ''}`;
  });
  return all.join(', ');
}

/** A realm is a quoted string (RFC 9110 section 11.5). */
export function toRealm(title: string): string {
  return title.replace(/[^ -~]|["\\]/g, '');
}
