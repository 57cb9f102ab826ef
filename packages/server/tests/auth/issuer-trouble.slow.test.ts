import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { findPort } from '../../../../tests/support/listen-on-loopback';
import { holdClock, type HeldClock } from '../hold-clock';
import { TOKEN } from '../start-things';
import { until } from '../../../../tests/support/until';
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

const CLOCK = ['setTimeout', 'clearTimeout', 'Date'] as const;

/** Lets time pass until the keys are asked for again, and waits until that is over. */
async function askAgain(clock: HeldClock, milliseconds: number): Promise<void> {
  clock.pass(milliseconds);
  await until(() => clock.countTimers() > 0);
}

test('an issuer that is away at the start: JWTs are 503, and it recovers by itself', async () => {
  using clock = holdClock(...CLOCK);
  const port = await findPort();
  const url = `http://127.0.0.1:${String(port)}`;
  await using service = await startJwtApp(url, { retry: 1_000 });
  const reply = await service.create(tokenOf(url));
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  await expect(statusOf(service, TOKEN)).resolves.toBe(200);
  await expect(statusOf(service, 'not-listed')).resolves.toBe(401);
  await expect(service.problem()).resolves.toMatch(/openid-configuration cannot be reached: ECONNREFUSED$/);

  for (let time = 0; time < 2; time++) await askAgain(clock, 1_000);
  await expect(service.problem()).resolves.toMatch(/ECONNREFUSED$/);

  await using provider = await startProvider([key], port);
  const token = await provider.token();
  await askAgain(clock, 1_000);
  await expect(service.problem()).resolves.toBeUndefined();
  await expect(statusOf(service, token)).resolves.toBe(200);
  expect(service.lines).toEqual([
    `warn the keys of JWT_ISSUER are not available: ${provider.issuer}/.well-known/openid-configuration cannot be reached: ECONNREFUSED`,
    'info the keys of JWT_ISSUER were fetched',
  ]);
});

test.each<[string, (res: ServerResponse) => unknown]>([
  ['never answers', () => undefined],
  ['only begins to answer', (res) => res.write('{')],
])('an issuer that %s costs a request a bounded time', async (_, answer) => {
  await using issuer = await startIssuer([], answer);
  await using service = await startJwtApp(issuer.url, { timeout: 200 });
  const statuses = [tokenOf(issuer.url), TOKEN].map((token) => statusOf(service, token));
  await expect(Promise.all(statuses)).resolves.toEqual([503, 200]);
  await expect(service.problem()).resolves.toMatch(/ did not answer in time$/);
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
  const writeWithoutEnd = (res: ServerResponse): void => {
    const writeMore = (): void => {
      if (res.write('a'.repeat(65_536))) setImmediate(writeMore);
    };
    res.on('drain', writeMore);
    writeMore();
  };
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
    ['https that cannot be reached', withUri('https://127.0.0.1:9'), /127.0.0.1:9 cannot be reached/],
    [
      'a redirect',
      () => (res) => res.writeHead(302, { Location: 'https://127.0.0.1:9' }).end(),
      /configuration answered 302$/,
    ],
    ['no content', () => (res) => res.writeHead(204).end(), /configuration answered 204$/],
    ['a document that never ends', () => writeWithoutEnd, /configuration answered with more than 1 MB$/],
    ['a failure', forKeys((res) => res.writeHead(500).end('x')), /\/jwks answered 500$/],
    ['HTML', forKeys((res) => res.end('<html>secret')), /\/jwks did not answer with JSON$/],
    ['nothing', forKeys((res) => res.end()), /\/jwks did not answer with JSON$/],
    ['half an answer', forKeys(breakOff), /\/jwks cannot be reached: /],
    ['no keys', forKeys((res) => res.end('{}')), /\/jwks has no keys$/],
    ['keys that are not objects', keySet(null, 1), /\/jwks has no keys$/],
  ])('503 for %s, which is told once and tried again', async (_, answer, problem) => {
    using clock = holdClock(...CLOCK);
    await using issuer = await startIssuer([key]);
    issuer.answer = answer(issuer.url);
    await using service = await startJwtApp(issuer.url, { retry: 1_000 });
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
    await expect(statusOf(service, TOKEN)).resolves.toBe(200);
    await expect(service.problem()).resolves.toMatch(problem);
    // It is tried again, and told once.
    const tried = issuer.requests.length;
    for (let time = 0; time < 2; time++) await askAgain(clock, 1_000);
    expect(issuer.requests).toHaveLength(3 * tried);
    expect(service.lines.length).toBeGreaterThan(0);
    for (const [index, line] of service.lines.entries()) {
      expect(line).toMatch(/^warn the keys of JWT_ISSUER are not available: http/);
      // A connection that breaks off may do so in several ways, and each is told.
      expect(line).not.toBe(service.lines[index - 1]);
    }
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
    if (path === '/jwks') answerJson(res, { keys: [null, ...keys.map(([{ kid }, jwk]) => ({ ...jwk, kid }))] });
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
  const OLD = { iat: inSeconds(-60) };
  const madeUp = (issuer: string, claims: object = {}): string =>
    signToken({ ...key, kid: randomUUID() }, { payload: { ...createClaims(issuer), ...claims } });

  test('is asked for once in 4 s, however many requests there are', async () => {
    using clock = holdClock('Date');
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url);
    const sendStorm = async (): Promise<Set<number>> =>
      new Set(await Promise.all(Array.from({ length: 200 }, () => statusOf(service, madeUp(issuer.url, OLD)))));
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    const fetches: number[] = [];
    for (const pause of [3_999, 1, 3_999, 1]) {
      clock.pass(pause);
      await expect(sendStorm()).resolves.toEqual(new Set([401]));
      fetches.push(issuer.requests.length / 2);
    }
    expect(fetches).toEqual([1, 2, 2, 3]);
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
  });

  test('counts 4 s after the last fetch, while others make up keys; until then it cannot be told', async () => {
    using clock = holdClock('Date');
    const next = createSigningKey();
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url);
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    issuer.answer = (res, path) => {
      answerJson(res, path === '/jwks' ? toKeySet([next]) : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    };
    for (let time = 0; time < 4_000; time += 500) {
      await expect(statusOf(service, madeUp(issuer.url))).resolves.toBe(503);
      await expect(statusOf(service, tokenOf(issuer.url, next))).resolves.toBe(503);
      clock.pass(500);
    }
    await expect(statusOf(service, madeUp(issuer.url))).resolves.toBe(401);
    await expect(statusOf(service, tokenOf(issuer.url, next))).resolves.toBe(200);
    expect(issuer.requests).toHaveLength(4);
  });

  test('that is new is fetched although the clock was set back by an hour', async () => {
    using clock = holdClock('Date');
    const next = createSigningKey();
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url, { cooldown: 0 });
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    issuer.answer = (res, path) => {
      answerJson(res, path === '/jwks' ? toKeySet([next]) : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    };
    clock.setBack(3_600_000);
    await expect(statusOf(service, tokenOf(issuer.url, next))).resolves.toBe(200);
  });

  test('of a token that was made up causes no fetch while the issuer is away', async () => {
    using clock = holdClock(...CLOCK);
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url, { cooldown: 0 });
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    issuer.answer = (res) => res.writeHead(503).end();
    for (let time = 0; time < 3; time++) {
      await expect(statusOf(service, madeUp(issuer.url, OLD))).resolves.toBe(503);
    }
    expect(issuer.requests).toHaveLength(3);
    await askAgain(clock, 2_000);
    expect(issuer.requests).toHaveLength(4);
  });

  test.each<[string, object, number]>([
    ['issued since the keys were fetched', {}, 503],
    ['that does not say when it was issued', { iat: undefined }, 503],
    ['issued before', OLD, 401],
    ['issued in the future', { iat: inSeconds(600) }, 401],
    ['of another issuer', { iss: 'https://other.example' }, 401],
  ])('before the keys are fetched again: a token %s', async (_, claims, status) => {
    using clock = holdClock('Date');
    await using issuer = await startIssuer([key]);
    await using service = await startJwtApp(issuer.url);
    await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
    clock.pass(3_999);
    await expect(statusOf(service, madeUp(issuer.url, claims))).resolves.toBe(status);
    expect(issuer.requests).toHaveLength(2);
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

test('the keys of an issuer that stays away count for a time', async () => {
  using clock = holdClock(...CLOCK);
  await using issuer = await startIssuer([key]);
  await using service = await startJwtApp(issuer.url, { refresh: 50, retry: 50, lifetime: 500 });
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
  const { answer } = issuer;
  issuer.answer = (res) => res.writeHead(500).end();
  for (let time = 50; time < 500; time += 50) await askAgain(clock, 50);
  expect(service.lines).toHaveLength(2);
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
  // The time for an alert is now, not when the keys are over.
  await expect(service.problem()).resolves.toBeUndefined();
  expect(service.bearer.isIssuerFailing()).toBe(true);
  await askAgain(clock, 50);
  await expect(service.problem()).resolves.toMatch(/answered 500$/);
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
  issuer.answer = answer;
  await askAgain(clock, 50);
  await expect(service.problem()).resolves.toBeUndefined();
  expect(service.bearer.isIssuerFailing()).toBe(false);
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
});

test('the keys of an issuer that stays away count no longer because the clock was set back', async () => {
  using clock = holdClock('Date');
  await using issuer = await startIssuer([key]);
  await using service = await startJwtApp(issuer.url, { lifetime: 0 });
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(200);
  issuer.answer = (res) => res.writeHead(500).end();
  clock.setBack(24 * 3_600_000);
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
});

test('what is closed asks no more, and tells nothing of it', async () => {
  using clock = holdClock(...CLOCK);
  const gone: Promise<unknown>[] = [];
  await using issuer = await startIssuer([], (res) => gone.push(once(res, 'close')));
  await using service = await startJwtApp(issuer.url, { retry: 10 });
  await until(() => issuer.requests.length === 1);
  service.bearer.close();
  await Promise.all(gone);
  // What waited for the answer is told.
  await expect(statusOf(service, tokenOf(issuer.url))).resolves.toBe(503);
  expect([clock.countTimers(), issuer.requests.length, service.lines]).toEqual([0, 1, []]);
});
