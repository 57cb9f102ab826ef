// Clients of a service that is started, probed and stopped.
import { setTimeout as sleep } from 'node:timers/promises';

export const TOKEN = 'a-token-for-the-tests';
const CLIENTS = 8;

/** Clients that create plants, each as soon as its last one is answered, until nobody listens any more. */
export interface Load {
  /** How many plants were acknowledged so far. */
  readonly count: () => number;
  /** Fulfilled when nobody listens. Rejected when a request was begun and has no reply, or another than 200 or 503. */
  readonly ended: Promise<unknown>;
}

export function createLoad(url: string): Load {
  let [id, count] = [0, 0];
  async function create(): Promise<void> {
    for (;;) {
      const status = await postPlant(url, (id += 1)).catch((error: unknown) => {
        // A client that finds nobody has sent nothing.
        if ((error as Error & { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED') return undefined;
        throw error;
      });
      if (status === undefined) return;
      if (status === 200) count += 1;
      // On a busy machine the service may take itself for overloaded.
      else if (status !== 503) throw new Error(`a creation got ${String(status)}`);
    }
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, create));
  // Whoever waits for it sees the error.
  ended.catch(() => undefined);
  return { count: () => count, ended };
}

async function postPlant(url: string, id: number): Promise<number> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ id, name: 'Rose', tag: 'flower' });
  const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body });
  await reply.arrayBuffer();
  return reply.status;
}

/** @returns the status, or undefined when nobody answers in time */
export function askStatus(url: string, timeout = 5_000): Promise<number | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(timeout) }).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.status;
    },
    () => undefined,
  );
}

/** Waits until the clients had some replies. @throws Error what ended them before */
export async function untilLoaded({ count, ended }: Load, plants: number): Promise<void> {
  while (count() < plants) await Promise.race([sleep(5), ended]);
}
