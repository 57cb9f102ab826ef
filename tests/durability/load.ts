import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '../../src/store/plant-store';
import { toReply, toBody, type Ledger } from './ledger';
import { Agent, request } from 'node:http';

/** Clients that send one request after the other until they are stopped, or until the service is gone. */
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

/** One client. */
interface LoadClient {
  /** Sends a request, for its status. @throws Error when the connection is cut before the reply is complete */
  send(): Promise<number>;
  close?(): void;
}

/**
 * Clients that create plants.
 *
 * @param next makes a plant that was not sent before
 */
export function startLoad(url: string, ledger: Ledger, next: () => StoredPlant): Load {
  return startClients(() => {
    const client = openClient(url);
    return {
      async send() {
        const plant = next();
        ledger.send(plant);
        const { status, text } = await client.post(plant);
        if (status === 200 && text === toReply(plant)) ledger.acknowledge(plant);
        return status;
      },
      close: () => {
        client.close();
      },
    };
  });
}

/** Starts clients of any service. */
export function startClients(open: () => LoadClient): Load {
  const statuses = new Map<number, number>();
  const lastBegun = new Map<number, number>();
  let isStopped = false;

  async function run(): Promise<void> {
    const client = open();
    while (!isStopped) {
      const begun = performance.now();
      const status = await client.send().catch(() => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      lastBegun.set(status, begun);
      if (status === 0) break;
      if (status >= 500) await sleep(PAUSE_MS);
    }
    client.close?.();
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

/** The token that the services of these proofs accept. */
export const TOKEN = 'a-token-for-the-proofs';

/** A reply that arrived completely. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** One connection, kept for the next request. */
export interface Client {
  /** @throws Error when the connection is cut before the reply is complete */
  post(plant: StoredPlant, options?: { token?: string; signal?: AbortSignal }): Promise<Reply>;
  close(): void;
}

/** @param url that the service listens on */
export function openClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    post(plant, { token = TOKEN, signal } = {}) {
      const body = toBody(plant);
      const headers = {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const options = { method: 'POST', agent, headers, ...(signal && { signal }) };
      return new Promise((resolve, reject) => {
        const sent = request(`${url}/plants`, options, (incoming) => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
          incoming.on('error', reject).on('end', () => {
            if (incoming.complete) resolve({ status: Number(incoming.statusCode), text });
            else reject(new Error('the reply was cut'));
          });
        });
        sent.on('error', reject).end(body);
      });
    },
    close() {
      agent.destroy();
    },
  };
}
