// Selects the keys of an issuer that can verify signatures.
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

const MIN_RSA_BITS = 2048;

/**
 * Selects the members of a JWK set (RFC 7517) that can verify signatures, without private members.
 *
 * Other members are ignored (section 5): a set may have keys for encryption, and keys of unknown kinds.
 */
export function selectKeys(members: unknown): JWK[] {
  return Array.isArray(members) ? members.flatMap((member) => toVerificationKey(Object(member) as JWK)) : [];
}

/** Converts a member to a public key that can verify signatures: a list of one, or an empty one for any other member. */
function toVerificationKey(member: JWK): JWK[] {
  const { kid, alg, use, key_ops: uses } = member;
  const isForUs = (use ?? 'sig') === 'sig' && [uses ?? 'verify'].flat().includes('verify');
  const key = toPublicKey(member);
  if (!isForUs || key === undefined || !isStrong(key)) return [];
  return [
    {
      ...(key.export({ format: 'jwk' }) as JWK),
      ...(typeof kid === 'string' && { kid }),
      ...(typeof alg === 'string' && { alg }),
    },
  ];
}

function toPublicKey(member: JWK): KeyObject | undefined {
  try {
    return createPublicKey({ key: member, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa') return Number(details?.modulusLength) >= MIN_RSA_BITS;
  return type === 'ec' || type === 'ed25519';
}
