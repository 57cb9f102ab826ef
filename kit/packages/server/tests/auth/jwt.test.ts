import { createHmac } from 'node:crypto';
import { CompactEncrypt, decodeJwt, decodeProtectedHeader } from 'jose';
import { startJwtApp, type JwtApp } from './start-jwt-app';
import {
  AUDIENCE,
  createClaims,
  createSigningKey,
  encode,
  inSeconds,
  signToken,
  type TokenParts,
} from './start-issuer';
import { startProvider, type RunningProvider } from './start-provider';
import { TOKEN } from '@contract-kit/test-support/start-things';
import { REFUSALS } from '../../src/errors/refusal';
import { until } from '@contract-kit/test-support/until';

const es = createSigningKey('ES256', 'es');
const rs = createSigningKey('RS256', 'rs');
const attacker = createSigningKey('ES256', 'es');
const stranger = createSigningKey('ES256', 'stranger');
const GENERIC = REFUSALS.CREDENTIALS_INVALID.meaning;
const ATTACKER_JWK = attacker.publicKey.export({ format: 'jwk' });

let provider: RunningProvider;
let service: JwtApp;
beforeAll(async () => {
  provider = await startProvider([es, rs]);
  service = await startJwtApp(provider.issuer);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** A token that counts, but for what is given. A claim or a header parameter that is undefined is left out. */
function token(claims: object = {}, header: object = {}, parts: TokenParts = {}, key = es): string {
  // Issued before the keys were fetched, so that an unknown key cannot be a newer one.
  const payload = { ...createClaims(provider.issuer), iat: inSeconds(-30), ...claims };
  return signToken(key, { payload, header: { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }, ...parts });
}

const hmac = (secret: string | Buffer) => (input: string) => createHmac('sha256', secret).update(input).digest();
const replacePart = (index: number, part: string): string => token().split('.').with(index, part).join('.');
const pem = rs.publicKey.export({ type: 'spki', format: 'pem' });

const GOOD: Record<string, () => string> = {
  ES256: () => token(),
  RS256: () => token({}, {}, {}, rs),
  'of type JWT': () => token({}, { typ: 'JWT' }),
  'of type application/at+jwt': () => token({}, { typ: 'application/AT+JWT' }),
  'without a type': () => token({}, { typ: undefined }),
  'expired within the tolerance': () => token({ exp: inSeconds(-3) }),
  'valid within the tolerance': () => token({ nbf: inSeconds(3) }),
  'issued within the tolerance': () => token({ iat: inSeconds(3) }),
  'that does not say when it was issued': () => token({ iat: undefined }),
  'of a long life, for that is the choice of the issuer': () => token({ exp: inSeconds(100 * 365 * 24 * 60 * 60) }),
  'for several audiences': () => token({ aud: ['https://other.example', AUDIENCE] }),
  'with a nonce, of type at+jwt': () => token({ nonce: 'a' }),
  'with objects of the same members': () => token({ a: [{ b: 1 }, { b: 1 }], b: { a: '"b":1,"b":2' } }),
  'with a header that points elsewhere, signed by the right key': () => token({}, { jku: 'https://attacker.example' }),
};

const BAD: Record<string, () => string> = {
  'alg none': () =>
    signToken(es, { header: { alg: 'none' }, payload: createClaims(provider.issuer) }).replace(/[^.]*$/, ''),
  'alg none, with a signature': () => token({}, { alg: 'none' }),
  'alg nOnE': () => token({}, { alg: 'nOnE' }),
  'no alg': () => token({}, { alg: undefined }),
  'alg is no text': () => token({}, { alg: ['ES256'] }),
  'HS256 with the public key, PEM': () => token({}, { alg: 'HS256' }, { signer: hmac(pem) }, rs),
  'HS256 with the public key, DER': () =>
    token({}, { alg: 'HS256' }, { signer: hmac(rs.publicKey.export({ type: 'spki', format: 'der' })) }, rs),
  'HS256 with the public key, JWK': () =>
    token({}, { alg: 'HS256' }, { signer: hmac(JSON.stringify(rs.publicKey.export({ format: 'jwk' }))) }, rs),
  'HS256 with an empty secret': () => token({}, { alg: 'HS256' }, { signer: hmac('') }),
  'alg of another curve': () => token({}, { alg: 'ES384' }),
  'alg of another kind of key': () => token({}, { alg: 'RS256' }),
  'PS256 where the key says RS256': () => token({}, { alg: 'PS256' }, {}, rs),
  expired: () => token({ exp: inSeconds(-6) }),
  'no exp': () => token({ exp: undefined }),
  'exp is a text': () => token({ exp: '9999999999' }),
  'exp is null': () => token({ exp: null }),
  'not yet valid': () => token({ nbf: inSeconds(30) }),
  'nbf is a text': () => token({ nbf: '0' }),
  'issued in the future': () => token({ iat: inSeconds(30) }),
  'iat beyond all numbers': () =>
    token({}, {}, { payload: JSON.stringify(createClaims(provider.issuer)).replace(/"iat":\d+/, '"iat":1e999') }),
  'iat is a text': () => token({ iat: '0' }),
  'wrong audience': () => token({ aud: 'https://other.example' }),
  'no audience': () => token({ aud: undefined }),
  'an empty list of audiences': () => token({ aud: [] }),
  'several audiences, not ours': () => token({ aud: ['https://other.example', `${AUDIENCE}/`] }),
  'an audience that begins as ours': () => token({ aud: `${AUDIENCE}.attacker.example` }),
  'audience within an object': () => token({ aud: { [AUDIENCE]: AUDIENCE } }),
  'wrong issuer': () => token({ iss: 'https://attacker.example' }),
  'issuer with a slash more': () => token({ iss: `${provider.issuer}/` }),
  'no issuer': () => token({ iss: undefined }),
  'issuer in a list': () => token({ iss: [provider.issuer] }),
  'signature stripped, with its dot': () => replacePart(2, ''),
  'signature stripped, without its dot': () => token().replace(/\.[^.]*$/, ''),
  'signature of zeros': () => replacePart(2, Buffer.alloc(64).toString('base64url')),
  'signature of another token': () => replacePart(2, String(token({ sub: 'another' }).split('.')[2])),
  'signature cut short': () => token().slice(0, -4),
  'ES256 in DER': () => token({}, {}, { dsaEncoding: 'der' }),
  'payload changed': () => replacePart(1, encode(JSON.stringify({ ...createClaims(provider.issuer), sub: 'admin' }))),
  'another key with the same kid': () => token({}, {}, {}, attacker),
  'unknown kid': () => token({}, {}, {}, stranger),
  'unknown key without kid': () => token({}, { kid: undefined }, {}, stranger),
  'kid is a path': () => token({}, { kid: '../../../../dev/null' }),
  'kid is SQL': () => token({}, { kid: `x' UNION SELECT 'key` }),
  'kid is no text': () => token({}, { kid: { $ne: null } }),
  'kid of a prototype': () => token({}, { kid: '__proto__' }),
  'jwk of the attacker': () => token({}, { jwk: ATTACKER_JWK }, {}, attacker),
  'jwk of the attacker, without kid': () => token({}, { kid: undefined, jwk: ATTACKER_JWK }, {}, attacker),
  'jku of the attacker': () => token({}, { jku: 'https://attacker.example/jwks' }, {}, attacker),
  'x5u of the attacker': () => token({}, { x5u: 'https://attacker.example/x5u' }, {}, attacker),
  'x5c of the attacker': () => token({}, { x5c: ['MIIB'] }, {}, attacker),
  'crit of what we do not know': () => token({}, { crit: ['exp'], exp: 1 }),
  'crit is empty': () => token({}, { crit: [] }),
  'b64 false, as RFC 7797 has it': () => token({}, { b64: false, crit: ['b64'] }),
  oversized: () => token({ fill: 'x'.repeat(8192) }),
  'four parts': () => `${token()}.${encode('{}')}`,
  'two tokens in one': () => `${token()}.${token()}`,
  'one part': () => encode('{}'),
  'dots alone': () => '..',
  'empty payload': () => token({}, {}, { payload: '' }),
  'payload is no JSON': () => token({}, {}, { payload: 'things' }),
  'payload is a list': () => token({}, {}, { payload: '[]' }),
  'payload is null': () => token({}, {}, { payload: 'null' }),
  'header is no JSON': () => token({}, {}, { header: 'ES256' }),
  'header is a list': () => token({}, {}, { header: '[]' }),
  'an ID token, by its type': () => token({}, { typ: 'id_token+jwt' }),
  'a logout token': () => token({}, { typ: 'logout+jwt' }),
  'type is no text': () => token({}, { typ: ['at+jwt'] }),
  'an ID token, by its nonce': () => token({ nonce: 'a' }, { typ: 'JWT' }),
  'an ID token, by its at_hash': () => token({ at_hash: 'a' }, { typ: undefined }),
  'an ID token, by its claim typ': () => token({ typ: 'ID' }, { typ: 'JWT' }),
  'bound to a key': () => token({ cnf: { jkt: 'a' } }),
  'whitespace inside': () => token().replace('.', '. '),
  'whitespace in base64': () => token().replace('.', '%20.'),
  'padded base64': () => `${token()}==`,
  'padded base64 inside': () => replacePart(0, `${String(token().split('.')[0])}=`),
  'base64 that is not of URLs': () => replacePart(2, Buffer.alloc(64, 0xff).toString('base64')),
};

test.each(Object.keys(GOOD))('counts: %s', async (name) => {
  await expect(service.create(String(GOOD[name]?.()))).resolves.toMatchObject({ status: 200 });
});

test.each(Object.keys(BAD))('does not count: %s', async (name) => {
  const bad = String(BAD[name]?.());
  const reply = await service.create(bad);
  expect(reply.status).toBe(401);
  expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
  await expect(reply.text()).resolves.not.toContain(bad);
});

test.each([
  ['wrong audience', 'aud'],
  ['no audience', 'aud'],
  ['expired', 'exp'],
  ['no exp', 'exp'],
  ['not yet valid', 'nbf'],
  ['issued in the future', 'iat'],
  ['wrong issuer', 'iss'],
  ['signature of zeros', 'signature'],
  ['another key with the same kid', 'signature'],
  ['unknown kid', 'key'],
  ['HS256 with an empty secret', 'alg'],
  ['an ID token, by its nonce', 'typ'],
  ['payload is no JSON', 'form'],
  ['crit of what we do not know', 'form'],
  ['oversized', 'form'],
])('the log, and not the client, is told why: %s', async (name, rule) => {
  const reply = await service.create(String(BAD[name]?.()));
  await expect(reply.json()).resolves.toEqual({ error: expect.any(Number) as number, message: GENERIC });
  await until(() => service.app.outcomes.at(-1)?.status === 401);
  expect(service.app.outcomes.at(-1)?.refusal).toMatchObject({ kind: 'CREDENTIALS_INVALID', rule, detail: undefined });
});

test('nor does what is encrypted to our key, by anyone', async () => {
  const jwe = await new CompactEncrypt(Buffer.from(token()))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rs', cty: 'JWT' })
    .encrypt(rs.publicKey);
  expect(jwe.split('.')).toHaveLength(5);
  await expect(service.create(jwe)).resolves.toMatchObject({ status: 401 });
});

test('there are enough of them, and all together made one call for keys, in which nothing of them was', () => {
  expect(Object.keys(BAD).length).toBeGreaterThan(60);
  expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
  expect(service.lines).toEqual(['info the keys of JWT_ISSUER were fetched']);
});

test.each(['RS256', 'ES256', 'EdDSA'] as const)('an access token of an OpenID provider counts: %s', async (alg) => {
  await using provider = await startProvider([createSigningKey(alg)]);
  await using service = await startJwtApp(provider.issuer);
  const token = await provider.token();
  expect(decodeProtectedHeader(token)).toMatchObject({ alg, typ: 'at+jwt' });
  expect(decodeJwt(token)).toMatchObject({ iss: provider.issuer, aud: AUDIENCE });
  await expect(service.create(token)).resolves.toMatchObject({ status: 200 });
  await expect(service.create(TOKEN)).resolves.toMatchObject({ status: 200 });
  await expect(service.create(await provider.token('https://other.example'))).resolves.toMatchObject({ status: 401 });
  await expect(service.problem()).resolves.toBeUndefined();
  expect(provider.requests.filter((path) => path !== '/token')).toEqual(['/.well-known/openid-configuration', '/jwks']);
  expect(service.lines).toEqual(['info the keys of JWT_ISSUER were fetched']);
});
