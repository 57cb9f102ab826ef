import { Agent, request } from 'node:http';
import type { StoredPlant } from '../../src/store/plant-store';
import { toBody } from './plants';

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
