import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTokenVerifier } from '../../src/auth/tokens';
import { createBearerVerifier } from '../../src/auth/bearer-verifier';
import { parseConfig } from '../../src/runtime/config';
import { createConfiguredVerifier, createOwnToken, parseTokens } from '../../src/runtime/token-settings';
import type { Operation } from '@contract-kit/contract';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { createMemoryLog } from './start-jwt-app';
import { AUDIENCE, createClaims, createSigningKey, signToken, startIssuer } from './start-issuer';
import { toCurl } from '../../src/runtime/run-service';

const TOKEN = 'a-token-for-the-tests';
const folder = useFolder();
const OPERATIONS = [{ security: [[{ scopes: ['read', 'write'] }], [{ scopes: ['read'] }]] }] as unknown as Operation[];

test.each([
  [{ scope: 'read write' }, ['read', 'write']],
  [{ scp: 'read write' }, ['read', 'write']],
  [{ scp: ['read', 'write'] }, ['read', 'write']],
  [{ scope: 'read', scp: ['admin'] }, ['read']],
  [{ scope: '' }, []],
  [{ scope: ['read'], scp: { read: true } }, []],
  [{ scp: ['read', 1, null] }, ['read']],
  [{}, []],
])('a JWT with %j', async (claims, scopes) => {
  const key = createSigningKey();
  await using issuer = await startIssuer([key]);
  const log = createMemoryLog();
  const bearer = createBearerVerifier({ tokens: [], jwt: { issuer: issuer.url, audience: AUDIENCE } }, log);
  try {
    const token = signToken(key, { payload: { ...createClaims(issuer.url), ...claims } });
    await expect(bearer.verify(token)).resolves.toMatchObject({
      subject: 'a-client',
      scopes,
      claims: { sub: 'a-client' },
    });
  } finally {
    bearer.close();
  }
});

test('without an issuer none fails', () => {
  expect(createBearerVerifier({ tokens: [TOKEN] }, createMemoryLog()).isIssuerFailing()).toBe(false);
});

describe('a listed token', () => {
  async function scopesOf(env: Readonly<Record<string, string>>, ownToken?: string): Promise<[unknown, string[]]> {
    const config = parseConfig(() => undefined, env);
    const log = createMemoryLog();
    const bearer = createConfiguredVerifier(config, OPERATIONS, ownToken, log);
    const owner = await bearer.verify(TOKEN);
    bearer.close();
    return [owner?.scopes, log.lines];
  }

  test('a listed token without API_TOKENS_SCOPES has no scope, and the log says so', async () => {
    const [scopes, warnings] = await scopesOf({ API_TOKENS: TOKEN });
    expect([scopes, warnings]).toEqual([[], [expect.stringContaining('set API_TOKENS_SCOPES')]]);
  });

  test.each([
    ['read', ['read']],
    ['*', ['read', 'write']],
  ])('has those of the settings: %s', async (text, scopes) => {
    await expect(scopesOf({ API_TOKENS: TOKEN, API_TOKENS_SCOPES: text })).resolves.toEqual([scopes, []]);
  });

  test('has those of the settings where it stands in a file', async () => {
    const file = join(folder, 'tokens');
    writeFileSync(file, TOKEN, { mode: 0o600 });
    await expect(scopesOf({ API_TOKENS_FILE: file, API_TOKENS_SCOPES: 'read' })).resolves.toEqual([['read'], []]);
  });

  test('has all if the service made it itself', async () => {
    await expect(scopesOf({}, TOKEN)).resolves.toEqual([['read', 'write'], []]);
  });
});

const GIVEN = 'a-token_of-a-session'.padEnd(43, '0');

test('a service makes a token of its own, each time another', () => {
  expect(createOwnToken()).toMatch(/^[\w-]{43}$/);
  expect(createOwnToken()).not.toBe(createOwnToken());
});

test('the token of a session counts if a parent gives it, and not if it is only in the environment', () => {
  expect(createOwnToken(GIVEN, true)).toBe(GIVEN);
  expect(createOwnToken(GIVEN, false)).not.toBe(GIVEN);
  expect(createOwnToken('', true)).toMatch(/^[\w-]{43}$/);
});

test('each of the tokens counts, and nothing else', () => {
  const verify = createTokenVerifier(['one', 'two', 'three']);
  const subjects = ['7692c3ad', '3fc4ccfe', '8b5b9db0'];
  expect(['one', 'two', 'three'].map((token) => verify(token)?.subject)).toEqual(subjects);
  const others = ['', 'One', 'one ', 'on', 'onetwo', 'one,two', '\u0000', 'one\u0000', 'threeé', 'three3'];
  expect(others.filter(verify)).toEqual([]);
});

test('the subject of a token is its name in the list, which an old and a new token may share', () => {
  const listed = parseTokens(`ci:${TOKEN}, ci: another-${TOKEN}, a-third-${TOKEN}`);
  const verify = createTokenVerifier(listed, ['read']);
  expect(verify(TOKEN)).toEqual({ subject: 'ci', scopes: ['read'] });
  expect(verify(`another-${TOKEN}`)?.subject).toBe('ci');
  expect(verify(`a-third-${TOKEN}`)?.subject).toMatch(/^[\da-f]{8}$/);
  expect(verify(`ci:${TOKEN}`)).toBeUndefined();
});

test('a key with a colon that is not from the settings counts as a whole', () => {
  const verify = createTokenVerifier(['user:password']);
  expect([verify('user:password')?.subject, verify('password')]).toEqual(['c91b1d6a', undefined]);
});

test('without a token nothing counts', () => {
  expect(createTokenVerifier([])('')).toBeUndefined();
});

test.each([
  [undefined, '-H "Authorization: Bearer $TOKEN"'],
  ["-H 'X-TOKEN: TOKEN'", '-H "X-TOKEN: $TOKEN"'],
  ["-b 'TOKEN=TOKEN'", '-b "TOKEN=$TOKEN"'],
  ["-H 'X-$`: TOKEN'", '-H "X-\\$\\`: $TOKEN"'],
  ['-u TOKEN:', '-u "$TOKEN":'],
])('the curl line with the credentials %s sends the token as %s', (credentials, sent) => {
  const example = { purpose: 'read', path: '/a', options: '-X GET', ...(credentials !== undefined && { credentials }) };
  expect(toCurl(example, 'http://localhost:3000', 'secret')).toBe(
    `This token is valid until the server stops. To read:\nTOKEN=secret\ncurl -i http://localhost:3000/a ${sent} \\\n  -X GET`,
  );
});
