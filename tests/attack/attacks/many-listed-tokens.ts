import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Attack } from '../attack';
import { PLANT, startTarget, type Target } from '../target';

const MANY = 100_000;
const FEW = 10;
const REQUESTS = 1_000;
const AT_ONCE = 10;

/** Wrong tokens where 100,000 are listed. */
export const manyListedTokens: Attack = {
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
  const path = join(tmpdir(), `tokens-${randomBytes(8).toString('hex')}`);
  writeFileSync(path, Array.from({ length: listed }, () => `${randomBytes(24).toString('hex')}\n`).join(''), {
    mode: 0o600,
  });
  try {
    using target = await startTarget({ API_TOKENS_FILE: path });
    await refuse(target);
    const before = target.cpu();
    await refuse(target);
    return ((target.cpu() - before) * 1000) / REQUESTS;
  } finally {
    rmSync(path);
  }
}

async function refuse({ url }: Target): Promise<void> {
  const headers = { Authorization: 'Bearer a-token-that-is-not-listed', 'Content-Type': 'application/json' };
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, () => fetch(`${url}/plants`, { method: 'POST', headers, body: PLANT })),
    );
    await Promise.all(replies.map((reply) => reply.arrayBuffer()));
    const other = replies.find(({ status }) => status !== 401);
    if (other !== undefined) throw new Error(`a wrong token was answered ${String(other.status)}`);
  }
}
