import { appendFileSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { post, secondsSince, startTarget, type Attack, type Target } from '../target';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answerJson,
  AUDIENCE,
  createClaims,
  createSigningKey,
  type RunningIssuer,
  type SigningKey,
  signToken,
  startIssuer,
  toKeySet,
} from '../../../packages/server/tests/auth/start-issuer';

const MANY = 100_000;
const FEW = 10;
const REQUESTS = 1_000;
const AT_ONCE = 10;

/** Wrong tokens where 100,000 are listed. */
const manyListedTokens: Attack = {
  name: 'wrong tokens against 100000 listed ones',
  async run() {
    const few = await measureRefusal(FEW);
    return [
      {
        what: `CPU of a refusal (with ${String(FEW)} listed ${few.toFixed(2)} ms)`,
        value: await measureRefusal(MANY),
        atMost: 2 * few,
        unit: 'ms',
      },
    ];
  },
};

/** In milliseconds. */
async function measureRefusal(listed: number): Promise<number> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tokens-'));
  const path = join(folder.path, 'tokens');
  const tokens = Array.from({ length: listed }, () => `${randomBytes(24).toString('hex')}\n`);
  writeFileSync(path, tokens.join(''), { mode: 0o600 });
  using target = await startTarget({ API_TOKENS_FILE: path });
  await refuse(target);
  const before = target.cpu();
  await refuse(target);
  return ((target.cpu() - before) * 1000) / REQUESTS;
}

async function refuse({ url }: Target): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const replies = Array.from({ length: AT_ONCE }, () => postWith(url, 'a-token-that-is-not-listed'));
    const other = (await Promise.all(replies)).find((status) => status !== 401);
    if (other !== undefined) throw new Error(`a wrong token was answered ${String(other)}`);
  }
}

function postWith(url: string, token: string): Promise<number> {
  return post(url, { Authorization: `Bearer ${token}` });
}

const SECONDS = 12;
const GIVE_UP_AFTER = 60;
const PAUSE_MS = 20;
// Discovery and the keys.
const REQUESTS_OF_A_FETCH = 2;

/** JWTs with made-up keys, signed by none of the issuer, while the issuer begins to sign with a new key. */
const unknownKeys: Attack = {
  name: 'JWTs of unknown keys while a key is rotated',
  async run() {
    const [first, next] = [createSigningKey(), createSigningKey()];
    await using issuer = await startIssuer([first]);
    using target = await startTarget({ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE });
    await until(async () => (await postSigned(target.url, issuer, first)) === 200);
    const before = issuer.requests.length;

    const start = performance.now();
    const elapsed = (): number => secondsSince(start);
    const end = new AbortController();
    const attack = sendMadeUp(target.url, issuer, end.signal);
    // The worst moment is after a fetch.
    await until(() => issuer.requests.length - before >= REQUESTS_OF_A_FETCH);
    publish(issuer, [first, next]);
    const published = elapsed();
    let refused = 0;
    await until(async () => {
      const status = await postSigned(target.url, issuer, next);
      if (status === 401) refused++;
      return status === 200 || elapsed() - published > GIVE_UP_AFTER;
    });
    const counts = elapsed() - published;
    await sleep(Math.max(0, SECONDS - elapsed()) * 1000);
    end.abort();
    await attack;
    return [
      { what: 'new key counts', value: counts, atMost: 5, unit: 's' },
      { what: 'JWTs of the new key refused as wrong', value: refused, atMost: 0, unit: 'times' },
      {
        what: `requests to the issuer in ${elapsed().toFixed(0)} s`,
        value: issuer.requests.length - before,
        atMost: REQUESTS_OF_A_FETCH * Math.ceil(elapsed() / 4),
        unit: 'requests',
      },
    ];
  },
};

function publish(issuer: RunningIssuer, keys: readonly SigningKey[]): void {
  const { url } = issuer;
  issuer.answer = (res, path) => {
    answerJson(res, path === '/jwks' ? toKeySet(keys) : { issuer: url, jwks_uri: `${url}/jwks` });
  };
}

function postSigned(url: string, issuer: RunningIssuer, key: SigningKey): Promise<number> {
  return postWith(url, signToken(key, { payload: createClaims(issuer.url) }));
}

async function sendMadeUp(url: string, issuer: RunningIssuer, signal: AbortSignal): Promise<void> {
  const key = createSigningKey();
  while (!signal.aborted) {
    await postSigned(url, issuer, { ...key, kid: randomUUID() });
    await sleep(PAUSE_MS);
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(PAUSE_MS);
}

const LISTED = randomBytes(24).toString('hex');
const NEXT = randomBytes(24).toString('hex');
// A letter, and as much as a short token has.
const PIECES = [1, 20].map((length) => NEXT.slice(0, length));
const PAUSE_S = 2;
const GIVE_UP_S = 10;

/** A file of tokens that is rewritten in place, and stops for two seconds in the middle of a token. */
const halfWrittenTokens: Attack = {
  name: 'a tokens file that is half written for 2 s',
  async run() {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'tokens-'));
    const path = join(folder.path, 'tokens');
    writeFileSync(path, `${LISTED}\n`);
    using target = await startTarget({ API_TOKENS_FILE: path });
    let accepted = 0;
    let refused = 0;
    for (const piece of PIECES) {
      writeFileSync(path, piece);
      const start = performance.now();
      while (secondsSince(start) < PAUSE_S) {
        if ((await postWith(target.url, piece)) === 200) accepted++;
        if ((await postWith(target.url, LISTED)) === 401) refused++;
      }
    }
    appendFileSync(path, `${NEXT.slice(PIECES.at(-1)?.length)}\n`);
    const start = performance.now();
    while ((await postWith(target.url, NEXT)) !== 200 && secondsSince(start) < GIVE_UP_S);
    return [
      { what: 'pieces of a token accepted', value: accepted, atMost: 0, unit: 'times' },
      { what: 'tokens refused meanwhile', value: refused, atMost: 0, unit: 'times' },
      { what: 'the whole file counts', value: secondsSince(start), atMost: 5, unit: 's' },
    ];
  },
};

export const tokenAttacks: readonly Attack[] = [manyListedTokens, halfWrittenTokens, unknownKeys];
