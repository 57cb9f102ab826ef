// Selects the keys of an issuer that can verify signatures.
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

const MIN_RSA_BITS = 2048;

/** Without private members. Others are ignored (RFC 7517 section 5), such as keys for encryption, or of unknown kinds. */
export function selectKeys(members: unknown): JWK[] {
  return Array.isArray(members) ? members.flatMap((member) => toVerificationKey(Object(member) as JWK)) : [];
}

// Empty for any other member. A key without `use` and `key_ops` is for everything (RFC 7517 sections 4.2 and 4.3).
function toVerificationKey(member: JWK): JWK[] {
  const { kid, alg, use, key_ops: operations } = member;
  const isForSignatures = (use ?? 'sig') === 'sig' && [operations ?? 'verify'].flat().includes('verify');
  const key = toPublicKey(member);
  if (!isForSignatures || key === undefined || !isStrong(key)) return [];
  // kid and alg tell for which tokens the key is.
  return [
    {
      ...(key.export({ format: 'jwk' }) as JWK),
      ...(typeof kid === 'string' && { kid }),
      ...(typeof alg === 'string' && { alg }),
    },
  ];
}

// Imports the public part of a key. Undefined for a member that is malformed, symmetric or of an unknown kind.
function toPublicKey(member: JWK): KeyObject | undefined {
  try {
    return createPublicKey({ key: member, format: 'jwk' });
  } catch {
    return undefined;
  }
}

// Whether a key is of an accepted kind and long enough. A curve fixes the length of its keys, so only RSA keys may be short.
function isStrong({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa') return Number(details?.modulusLength) >= MIN_RSA_BITS;
  return type === 'ec' || type === 'ed25519';
}
