import { setTimeout as sleep } from 'node:timers/promises';
import type * as schemas from '../generated/schemas';

/** The webhook `soldOut` of the contract. */
export interface SoldOut {
  /** Tells the buyers' office of a plant; nobody waits for it. */
  readonly send: (plant: schemas.Plant) => void;
  /** Ends when the office was told of all, or the last try failed. */
  close(): Promise<void>;
}

const TRIES = 3;
const PAUSE_MS = 500;
const TIMEOUT_MS = 2_000;

/**
 * @param url undefined if nobody wants to be told
 * @param warn gets a line for the log
 */
export function createSoldOut(url: URL | undefined, warn: (message: string) => void): SoldOut {
  const sending = new Set<Promise<void>>();

  async function tell(target: URL, { id, name }: schemas.Plant): Promise<void> {
    const event: schemas.SoldOut = { plant: id, name, at: new Date().toISOString() };
    const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(event) };
    for (let tries = 1; ; tries++) {
      try {
        const { status, body } = await fetch(target, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
        await body?.cancel();
        if (status < 400) return;
        throw new Error(`status ${String(status)}`);
      } catch (error) {
        if (tries === TRIES) {
          warn(`the office was not told that ${id} is sold out: ${(error as Error).message}`);
          return;
        }
        await sleep(PAUSE_MS);
      }
    }
  }

  return {
    send(plant) {
      if (!url) return;
      const telling = tell(url, plant).finally(() => sending.delete(telling));
      sending.add(telling);
    },
    async close() {
      await Promise.all(sending);
    },
  };
}

/** @throws Error with a message that continues the name of a setting */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url?.protocol.startsWith('http')) throw new Error('must be a URL such as https://office.example/sold-out');
  return url;
}
