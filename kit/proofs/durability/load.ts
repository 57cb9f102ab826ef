import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import { toReply, toBody, type Ledger } from './ledger';

export type Load = ReturnType<typeof startClients>;

const CLIENTS = 8;
// A client that is told to come again later does not come at once.
const PAUSE_MS = 5;
// A cluster takes half a minute to be sure that its leader is dead.
const PATIENCE_MS = 120_000;

/**
 * Clients that create plants.
 *
 * @param next makes a plant that was not sent before
 */
export function startLoad(url: string, ledger: Ledger, next: () => StoredPlant): Load {
  return startClients(async () => {
    const plant = next();
    ledger.send(plant);
    const { status, text } = await post(url, plant);
    if (status === 200 && text === toReply(plant)) ledger.acknowledge(plant);
    return status;
  });
}

/**
 * Starts clients of any service, which send one request after the other until they are stopped, or until the service is gone.
 *
 * @param send sends a request, for its status; throws when the connection is cut
 */
export function startClients(send: () => Promise<number>) {
  const statuses = new Map<number, number>();
  const lastBegun = new Map<number, number>();
  let isStopped = false;

  async function run(): Promise<void> {
    while (!isStopped) {
      const begun = performance.now();
      const status = await send().catch(() => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      lastBegun.set(status, begun);
      if (status === 0) break;
      if (status >= 500) await sleep(PAUSE_MS);
    }
  }

  const running = Array.from({ length: CLIENTS }, run);
  return {
    /** How often each status was received, and under 0 how many connections were cut. */
    statuses: statuses as ReadonlyMap<number, number>,
    /**
     * Waits for a reply with a status to a request that begins from now on.
     *
     * @throws Error when there is none for long, or when the service ended
     */
    async next(status: number): Promise<void> {
      const now = performance.now();
      while ((lastBegun.get(status) ?? 0) < now) {
        if (statuses.has(0)) throw new Error('the service ended');
        if (performance.now() - now > PATIENCE_MS) throw new Error(`it never answers with ${String(status)}`);
        await sleep(1);
      }
    },
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

/** The token that the services of these proofs accept. */
export const TOKEN = 'a-token-for-the-proofs';

/** A reply that arrived completely. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Creates a plant. @throws Error when the connection is cut before the reply is complete */
export async function post(
  url: string,
  plant: StoredPlant,
  { token = TOKEN, signal = null }: { token?: string; signal?: AbortSignal | null } = {},
): Promise<Reply> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body: toBody(plant), signal });
  return { status: reply.status, text: await reply.text() };
}
