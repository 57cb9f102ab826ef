import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import { TOKEN } from '@contract-kit/test-support/start-things';
import { until } from '@contract-kit/test-support/until';
import {
  answerJson,
  createClaims,
  createSigningKey,
  inSeconds,
  type SigningKey,
  signToken,
  startIssuer,
  toKeySet,
} from './start-issuer';
import { startProvider } from './start-provider';
import { startJwtApp, type JwtApp } from './start-jwt-app';

const key = createSigningKey();

function tokenOf(issuer: string, signer: SigningKey = key): string {
  return signToken(signer, { payload: createClaims(issuer) });
}

async function statusOf({ create }: JwtApp, token: string): Promise<number> {
  return (await create(token)).status;
}

test('an issuer that is away at the start: JWTs are 503, and it recovers by itself', async () => {
  const port = await findPort();
  const url = `http://127.0.0.1:${String(port)}`;
  await using service = await startJwtApp(url);
  const reply = await service.create(tokenOf(url));
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  await expect(statusOf(service, TOKEN)).resolves.toBe(200);
  await expect(statusOf(service, 'not-listed')).resolves.toBe(401);
  for (let time = 0; time < 2; time++)
    await expect(service.problem()).resolves.toMatch(/ cannot be reached: ECONNREFUSED$/);
  expect(service.bearer.isIssuerFailing()).toBe(true);

  await using provider = await startProvider([key], port);
  const token = await provider.token();
  await expect(statusOf(service, token)).resolves.toBe(200);
  await expect(service.problem()).resolves.toBeUndefined();
  expect(service.bearer.isIssuerFailing()).toBe(false);
  expect(service.lines).toEqual([
    'warn the keys of JWT_ISSUER are not available: the issuer cannot be reached: ECONNREFUSED',
    'info the keys of JWT_ISSUER were fetched',
  ]);
});

test.each<[string, (res: ServerResponse) => unknown]>([
  ['never answers', () => undefined],
  ['only begins to answer', (res) => res.write('{')],
])('an issuer that %s costs a request a bounded time', async (_, answer) => {
  await using issuer = await startIssuer([], answer);
  await using service = await startJwtApp(issuer.url);
  const statuses = [tokenOf(issuer.url), TOKEN].map((token) => statusOf(service, token));
  await expect(Promise.all(statuses)).resolves.toEqual([503, 200]);
  await expect(service.problem()).resolves.toMatch(/ are not available: request timed out$/);
});

describe('an issuer whose answers cannot be used', () => {
  type Answer = (url: string) => (res: ServerResponse, path: string) => void;
  /** @param keys the answer for keys, where discovery is right */
  const forKeys =
    (keys: (res: ServerResponse) => void): Answer =>
    (url) =>
    (res, path) => {
      if (path === '/jwks') keys(res);
      else answerJson(res, { issuer: url, jwks_uri: `${url}/jwks` });
    };
  const json =
    (value: (url: string) => unknown): Answer =>
    (url) =>
    (res) => {
      answerJson(res, value(url));
    };
  const keySet = (...keys: unknown[]): Answer =>
    forKeys((res) => {
      answerJson(res, { keys });
    });
  const withUri = (uri: string): Answer => json((url) => ({ issuer: url, jwks_uri: uri }));
  const breakOff = (res: ServerResponse): boolean =>
    res.writeHead(200, { 'Content-Length': 9 }).write('{}', () => res.destroy());

  test.each<[string, Answer, RegExp]>([
    ['another issuer', json((url) => ({ issuer: `${url}/`, jwks_uri: url })), /names another issuer: 'http:.*\/'$/],
    ['no issuer', json((url) => ({ jwks_uri: `${url}/jwks` })), /names another issuer: undefined$/],
    ['a long one', json(() => ({ issuer: 'x'.repeat(1000) })), /another issuer: 'x{200}'\.\.\. 800 more characters$/],
    ['null', json(() => null), /names another issuer: undefined$/],
    ['no jwks_uri', json((url) => ({ issuer: url })), /has no jwks_uri that begins with https:/],
    ['a jwks_uri that is not a URL', withUri('/jwks'), /has no jwks_uri/],
    ['http elsewhere', withUri('http://keys.example'), /has no jwks_uri/],
    ['a file', withUri('file://localhost/etc/keys'), /has no jwks_uri/],
    ['https that cannot be reached', withUri('https://127.0.0.1:9'), /issuer cannot be reached: /],
    [
      'a redirect',
      () => (res) => res.writeHead(302, { Location: 'https://127.0.0.1:9' }).end(),
      /configuration answered 302$/,
    ],
    ['no content', () => (res) => res.writeHead(204).end(), /configuration answered 204$/],
    ['a failure', forKeys((res) => res.writeHead(500).end('x')), /Expected 200 OK /],
    ['HTML', forKeys((res) => res.end('<html>secret')), /Failed to parse /],
    ['nothing', forKeys((res) => res.end()), /Failed to parse /],
    ['a configuration in HTML', () => (res) => res.end('<html>secret'), /did not answer with JSON$/],
    ['half an answer', forKeys(breakOff), /Failed to parse /],
    ['no keys', forKeys((res) => res.end('{}')), /malformed/],
    ['keys that are not objects', keySet(null, 1), /malformed/],
  ])('503 for %s, which is told once and tried again', async (_, answer, problem) => {
    await using issuer = await startIssuer([key]);
    issuer.answer = answer(issuer.url);
    await using service = await startJwtApp(issuer.url);
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
    await expect(statusOf(service, TOKEN)).resolves.toBe(200);
    await expect(service.problem()).resolves.toMatch(problem);
    const tried = issuer.requests.length;
    await expect(service.problem()).resolves.toMatch(problem);
    expect(issuer.requests.length).toBeGreaterThan(tried);
    expect(service.lines).toEqual([expect.stringMatching(/^warn the keys of JWT_ISSUER are not available: /)]);
    expect(service.lines.join()).not.toContain('secret');
  });
});

test('of the keys of an issuer those count that are public, strong and for signatures', async () => {
  const [strong, weak] = [createSigningKey('RS256'), generateKeyPairSync('rsa', { modulusLength: 1024 })];
  const keys: [SigningKey, object][] = [
    [key, { ...key.publicKey.export({ format: 'jwk' }), use: 'sig', key_ops: ['verify'] }],
    [createSigningKey(), { kty: 'oct', k: 'AA' }],
    [
      { ...strong, kid: 'enc' },
      { ...strong.publicKey.export({ format: 'jwk' }), use: 'enc' },
    ],
    [{ ...strong, kid: 'private' }, strong.privateKey.export({ format: 'jwk' })],
    [{ ...strong, ...weak, kid: 'weak' }, weak.publicKey.export({ format: 'jwk' })],
  ];
  await using issuer = await startIssuer([]);
  const { answer } = issuer;
  issuer.answer = (res, path) => {
    if (path === '/jwks') answerJson(res, { keys: keys.map(([{ kid }, jwk]) => ({ ...jwk, kid })) });
    else answer(res, path);
  };
  await using service = await startJwtApp(issuer.url);
  const sent = keys.map(([signer]) => {
    const payload = { ...createClaims(issuer.url), iat: inSeconds(-60) };
    return statusOf(service, signToken(signer, { payload }));
  });
  await expect(Promise.all(sent)).resolves.toEqual([200, 401, 401, 401, 401]);
  await until(() => service.app.outcomes.length === keys.length);
  const refused = service.app.outcomes.flatMap(({ refusal }) => refusal?.rule ?? []);
  expect(refused).toEqual(Array(4).fill('key'));
});

test('an issuer with a slash at its end is found', async () => {
  await using issuer = await startIssuer([key]);
  const url = `${issuer.url}/a/`;
  issuer.answer = (res, path) => {
    answerJson(res, path === '/k' ? toKeySet([key]) : { issuer: url, jwks_uri: `${issuer.url}/k` });
  };
  await using service = await startJwtApp(url);
  await expect(statusOf(service, tokenOf(url))).resolves.toBe(200);
  expect(issuer.requests).toEqual(['/a/.well-known/openid-configuration', '/k']);
});

describe('an unknown key', () => {
  const madeUp = (issuer: string): string =>
    signToken({ ...key, kid: randomUUID() }, { payload: createClaims(issuer) });

  test('is 401, and is asked for once in 30 s, however many requests there are; one that is gone counts no longer', async () => {
    using clock = holdClock('Date');
    const next = createSigningKey();
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url);
    const sendStorm = async (): Promise<Set<number>> =>
      new Set(await Promise.all(Array.from({ length: 200 }, () => statusOf(service, madeUp(issuer.url)))));
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    issuer.answer = (res, path) => {
      answerJson(res, path === '/jwks' ? toKeySet([next]) : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    };
    clock.pass(29_999);
    await expect(sendStorm()).resolves.toEqual(new Set([401]));
    expect(issuer.requests).toHaveLength(2);
    await expect(statusOf(service, tokenOf(issuer.url, next))).resolves.toBe(401);
    clock.pass(1);
    await expect(statusOf(service, tokenOf(issuer.url, next))).resolves.toBe(200);
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(401);
    await expect(sendStorm()).resolves.toEqual(new Set([401]));
    expect(issuer.requests).toHaveLength(4);
  });

  test('is 503 if the issuer is away when it is asked for, while known keys count for ten minutes', async () => {
    using clock = holdClock('Date');
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url);
    const token = signToken(key, { payload: { ...createClaims(issuer.url), exp: inSeconds(3_600) } });
    await expect(statusOf(service, token)).resolves.toBe(200);
    issuer.answer = (res) => res.writeHead(500).end();
    clock.pass(599_999);
    await expect(statusOf(service, madeUp(issuer.url))).resolves.toBe(503);
    await expect(statusOf(service, token)).resolves.toBe(200);
    await expect(service.problem()).resolves.toBeUndefined();
    clock.pass(1);
    await expect(service.problem()).resolves.toMatch(/answered 500$/);
    await expect(statusOf(service, token)).resolves.toBe(503);
  });
});

test.each<[string, SigningKey, number]>([
  ['several keys of a kind has to say which', createSigningKey(), 401],
  ['one key of a kind need not say which', createSigningKey('RS256'), 200],
])('a token of an issuer with %s', async (_, other, status) => {
  await using issuer = await startIssuer([other, key]);
  await using service = await startJwtApp(issuer.url);
  const payload = createClaims(issuer.url);
  await expect(statusOf(service, signToken(key, { payload }))).resolves.toBe(200);
  await expect(statusOf(service, signToken(key, { payload, header: { alg: 'ES256' } }))).resolves.toBe(status);
  expect(issuer.requests).toHaveLength(2);
});

test('what is closed logs nothing of what it asked for', async () => {
  await using issuer = await startIssuer([], () => undefined);
  await using service = await startJwtApp(issuer.url);
  await until(() => issuer.requests.length === 1);
  service.bearer.close();
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
  expect(service.lines).toEqual([]);
});
