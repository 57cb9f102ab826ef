import { constants, sign } from 'node:crypto';
import { AUDIENCE, type SigningKey } from './start-provider';

/** What a token is made of; a string stands as it is. */
export interface TokenParts {
  readonly header?: object | string;
  readonly payload?: object | string;
  /** How the signature is written; IEEE P1363 is what a JWS has. */
  readonly dsaEncoding?: 'ieee-p1363' | 'der';
  /** What makes the signature instead of the key. */
  readonly signer?: (input: string) => Buffer;
}

/** The claims of a token that counts. */
export function createClaims(issuer: string): Record<string, unknown> {
  return { iss: issuer, aud: AUDIENCE, sub: 'a-client', exp: inSeconds(60), iat: inSeconds(0), jti: 'one' };
}

/** A time from now, as claims have it. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

/** A JWT made by hand, so that it may be wrong in any way. Only parts that are given differ from what is right. */
export function signToken(
  key: SigningKey,
  {
    header = { alg: key.alg, kid: key.kid, typ: 'at+jwt' },
    payload = {},
    dsaEncoding = 'ieee-p1363',
    signer,
  }: TokenParts,
): string {
  const input = [header, payload]
    .map((part) => encode(typeof part === 'string' ? part : JSON.stringify(part)))
    .join('.');
  const options = { key: key.privateKey, dsaEncoding, padding: constants.RSA_PKCS1_PADDING };
  const signature = signer?.(input) ?? sign(key.alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), options);
  return `${input}.${signature.toString('base64url')}`;
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
