// The verifier of JWTs.
import { decodeJwt, errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose';
import type { Identity } from './authenticate';
import { Refusal } from '../errors/refusal';
import type { AuthLog } from './tokens';
import { createIssuerKeys, KeysUnavailable, type KeyTiming } from './issuer-keys';

export interface JwtSettings {
  /** The issuer's identifier: the value of `iss`, and the base URL of its OpenID configuration. */
  readonly issuer: string;
  /** `aud` must equal or contain it. */
  readonly audience: string;
}

const MAX_TOKEN_LENGTH = 8 * 1024;
// RFC 7515 section 7.1, without encrypted, unsigned or padded tokens.
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
// Asymmetric only: with a symmetric algorithm, the public key could be used to sign.
const ASYMMETRIC_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_TOLERANCE_MS = 5_000;

/** Verifies access tokens of an OpenID provider that are JWTs. `timing` of the fetches of its keys is for tests. */
export function createJwtVerifier({ issuer, audience }: JwtSettings, log: AuthLog, timing?: Partial<KeyTiming>) {
  const { createKeyFinder, ...keys } = createIssuerKeys(issuer, log, timing);
  const rules = {
    issuer,
    audience,
    algorithms: ASYMMETRIC_ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_MS / 1000,
  };
  return {
    /** Rejects with a Refusal that has the broken rule, or with KeysUnavailable if it cannot decide. */
    verify: async (token: string): Promise<Identity> => {
      if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw toTokenRefusal('form');
      try {
        // Check the issuer before looking for a key, so that foreign tokens cause no fetch of keys.
        const { iss, iat } = decodeJwt(token);
        // Without `iat`, the token may be new.
        const issuedAt = typeof iat === 'number' ? iat * 1000 : Date.now();
        const isFromFuture = issuedAt > Date.now() + CLOCK_TOLERANCE_MS;
        if (iss !== issuer) throw toTokenRefusal('iss');
        if (isFromFuture) throw toTokenRefusal('iat');
        // The clock of the issuer may be behind.
        const findKey = createKeyFinder(issuedAt + CLOCK_TOLERANCE_MS);
        const { protectedHeader, payload } = await jwtVerify(token, findKey, rules);
        if (!isAccessToken(token, protectedHeader, payload)) throw toTokenRefusal('typ');
        return toIdentity(payload);
      } catch (error) {
        if (error instanceof KeysUnavailable || error instanceof Refusal) throw error;
        // Any other error is the token's fault: all fetched keys are usable.
        throw toTokenRefusal(findBrokenRule(error));
      }
    },
    ...keys,
  };
}

// The rule is for the log alone: the client is not told what it would have to forge.
function toTokenRefusal(rule: string): Refusal {
  return new Refusal('CREDENTIALS_INVALID', undefined, { rule });
}

const RULES_BY_CODE: Readonly<Record<string, string>> = {
  [errors.JWSSignatureVerificationFailed.code]: 'signature',
  [errors.JWKSNoMatchingKey.code]: 'key',
  [errors.JWKSMultipleMatchingKeys.code]: 'key',
  [errors.JOSEAlgNotAllowed.code]: 'alg',
};

// The claim that is wrong or missing, a part of the token, or `form`. Never text of the token, as messages of errors may have.
function findBrokenRule(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) return error.claim;
  return RULES_BY_CODE[String((error as NodeJS.ErrnoException).code)] ?? 'form';
}

// RFC 9068 section 2.2.3 has the scopes in `scope`, separated by spaces; some issuers have them in `scp`, or as an array.
function toIdentity({ sub, scope, scp }: JWTPayload): Identity {
  const claim = typeof scope === 'string' ? scope : scp;
  const scopes: unknown[] = typeof claim === 'string' ? claim.split(' ') : [claim].flat();
  return { subject: sub, scopes: scopes.filter((name) => typeof name === 'string' && name !== '') as string[] };
}

// The header `typ` of an access token, in lower case; many issuers write only `JWT`.
const ACCEPTED_TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
// Claims of tokens that are meant for a client: ID tokens (OpenID Connect Core 1.0) and logout tokens.
const CLIENT_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/**
 * The type `at+jwt` marks access tokens (RFC 9068). Without it, claims of ID tokens exclude a token: these have the same
 * issuer and key, and the same audience if the client is the service itself.
 */
function isAccessToken(token: string, header: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = header.typ?.toLowerCase() ?? 'jwt';
  if (!ACCEPTED_TYPES.has(type)) return false;
  // RFC 7797 section 7: a JWT must not have b64. RFC 7800: cnf needs a proof of possession, which bearers do not send.
  if ('b64' in header || 'cnf' in payload) return false;
  // Keycloak marks an ID token by the claim `typ`.
  const isForClient = payload['typ'] === 'ID' || CLIENT_CLAIMS.some((claim) => claim in payload);
  if (type === 'jwt' && isForClient) return false;
  // With two claims of the same name, another parser may use the other one.
  const headerAndPayload = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
  return !headerAndPayload.some(hasDuplicateNames);
}

// A string, with the colon after it if it is the name of a member; or a bracket or brace.
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/** Of two members with one name, JSON.parse takes the last. `json` is well-formed, an object or an array. */
function hasDuplicateNames(json: string): boolean {
  // Each name after the identifier of its object, such as `0 iss`.
  const seen = new Set<string>();
  // The objects and arrays that are open, each identified by the index of its first character.
  const open: number[] = [];
  for (const { 0: token, 1: colon, index } of json.matchAll(STRING_OR_BRACKET)) {
    if (token === '{' || token === '[') open.push(index);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      // Parse the name, since escapes can write the same one in several ways.
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const nameInObject = `${String(open.at(-1))} ${name}`;
      if (seen.has(nameInObject)) return true;
      seen.add(nameInObject);
    }
  }
  return false;
}
