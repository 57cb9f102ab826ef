import { constants, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';

export const AUDIENCE = 'https://api.example';

/** A key that an issuer signs with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function createSigningKey(alg: 'RS256' | 'ES256' | 'EdDSA' = 'ES256', kid: string = randomUUID()): SigningKey {
  if (alg === 'RS256') return { kid, alg, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  if (alg === 'ES256') return { kid, alg, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
  return { kid, alg, ...generateKeyPairSync('ed25519') };
}

/** An issuer that may be wrong in any way, which a provider is not. */
export interface RunningIssuer extends AsyncDisposable {
  readonly url: string;
  /** The paths that were asked for. */
  readonly requests: readonly string[];
  /** What it answers from now on. */
  answer: (res: ServerResponse, path: string) => void;
}

/** @param answer all of it, other than what an issuer with these keys answers */
export async function startIssuer(
  keys: readonly SigningKey[],
  answer?: RunningIssuer['answer'],
): Promise<RunningIssuer> {
  const requests: string[] = [];
  const listener: RequestListener = (req, res) => {
    requests.push(String(req.url));
    issuer.answer(res, String(req.url));
  };
  const listening = await listenOnLoopback(createServer(listener));
  const url = listening.base.origin;
  const issuer: RunningIssuer = {
    ...listening,
    url,
    requests,
    answer:
      answer ??
      ((res, path) => {
        answerJson(res, path === '/jwks' ? toKeySet(keys) : { issuer: url, jwks_uri: `${url}/jwks` });
      }),
  };
  return issuer;
}

export function answerJson(res: ServerResponse, value: unknown): void {
  res.setHeader('Connection', 'close').end(JSON.stringify(value));
}

export function toKeySet(keys: readonly SigningKey[]): object {
  return { keys: keys.map(({ kid, alg, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg })) };
}

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
