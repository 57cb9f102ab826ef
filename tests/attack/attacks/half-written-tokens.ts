import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack } from '../attack';
import { PLANT, startTarget } from '../target';

const LISTED = randomBytes(24).toString('hex');
const NEXT = randomBytes(24).toString('hex');
// A letter, and as much as a short token has.
const PIECES = [1, 20].map((length) => NEXT.slice(0, length));
const PAUSE_MS = 2_000;
const GIVE_UP_MS = 10_000;

/** A file of tokens that is rewritten in place, and stops for two seconds in the middle of a token. */
export const halfWrittenTokens: Attack = {
  name: 'a tokens file that is half written for 2 s',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
    const path = join(folder, 'tokens');
    writeFileSync(path, `${LISTED}\n`);
    try {
      using target = await startTarget({ API_TOKENS_FILE: path });
      const statusOf = (token: string): Promise<number> => post(target.url, token);
      let accepted = 0;
      let refused = 0;
      for (const piece of PIECES) {
        writeFileSync(path, piece);
        const start = performance.now();
        while (performance.now() - start < PAUSE_MS) {
          if ((await statusOf(piece)) === 200) accepted++;
          if ((await statusOf(LISTED)) === 401) refused++;
        }
      }
      appendFileSync(path, `${NEXT.slice(PIECES.at(-1)?.length)}\n`);
      const start = performance.now();
      while ((await statusOf(NEXT)) !== 200 && performance.now() - start < GIVE_UP_MS);
      return [
        { what: 'pieces of a token accepted', value: accepted, atMost: 0, unit: 'times' },
        { what: 'tokens refused meanwhile', value: refused, atMost: 0, unit: 'times' },
        { what: 'the whole file counts', value: (performance.now() - start) / 1000, atMost: 5, unit: 's' },
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function post(url: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body: PLANT });
  await reply.arrayBuffer();
  return reply.status;
}
