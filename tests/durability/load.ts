import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '../../src/store/plant-store';
import { openClient } from './client';
import type { Ledger } from './ledger';
import { toReply } from './plants';

/** Clients that create one plant after the other until they are stopped, or until the service is gone. */
export interface Load {
  /** How often each status was received, and under 0 how many connections were cut. */
  readonly statuses: ReadonlyMap<number, number>;
  /**
   * Waits for a reply with a status to a request that begins from now on.
   *
   * @throws Error when there is none for long, or when the service ended
   */
  next(status: number): Promise<void>;
  stop(): Promise<void>;
}

const CLIENTS = 8;
// A client that is told to come again later does not come at once.
const PAUSE_MS = 5;
// A cluster takes half a minute to be sure that its leader is dead.
const PATIENCE_MS = 120_000;

/** @param next makes a plant that was not sent before */
export function startLoad(url: string, ledger: Ledger, next: () => StoredPlant): Load {
  const statuses = new Map<number, number>();
  const lastBegun = new Map<number, number>();
  let isStopped = false;

  async function run(): Promise<void> {
    const client = openClient(url);
    while (!isStopped) {
      const plant = next();
      const begun = performance.now();
      ledger.send(plant);
      const reply = await client.post(plant).catch(() => ({ status: 0, text: '' }));
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      lastBegun.set(reply.status, begun);
      if (reply.status === 0) break;
      if (reply.status === 200 && reply.text === toReply(plant)) ledger.acknowledge(plant);
      else await sleep(PAUSE_MS);
    }
    client.close();
  }

  const running = Array.from({ length: CLIENTS }, run);
  return {
    statuses,
    async next(status) {
      const now = performance.now();
      while ((lastBegun.get(status) ?? 0) < now) {
        if (statuses.has(0)) throw new Error('the service ended');
        if (performance.now() - now > PATIENCE_MS) throw new Error(`it never answers with ${String(status)}`);
        await sleep(1);
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
