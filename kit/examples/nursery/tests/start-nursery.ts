import { startService, type StartedService } from '@contract-kit/server/testing';
import type { Plant, Problem } from '../generated/schemas';
import { file, sha256 } from '../generated/contract';
import { service } from '../src/service';

/** The credentials that are valid in the tests, by security scheme. */
export const SECRETS = { account: 'an-account-of-the-tests', till: 'a-till-of-the-tests' } as const;

/** A plant as a gardener describes it. */
export const LAVENDER = { name: 'Lavender', light: 'sun', cents: 450, stock: 120, tags: ['hardy', 'bees'] } as const;

/** A nursery that runs, and its clients. */
export interface RunningNursery extends AsyncDisposable {
  /** Sends a request of a gardener, to a path of the contract or a URL. A body is JSON unless the headers say otherwise. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  add(plant: object): Promise<Plant>;
  read(id: string): Promise<Plant>;
}

export async function startNursery(env: Readonly<Record<string, string>>): Promise<RunningNursery> {
  const started: StartedService = await startService(service, { file, sha256 }, SECRETS, env);

  function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const isPlain = body === undefined || body instanceof FormData || body instanceof Uint8Array;
    return fetch(URL.canParse(path) ? path : `${started.base.href}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${SECRETS.account}`,
        ...(!isPlain && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: isPlain ? (body as FormData | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
      }),
    });
  }

  return {
    send,
    async add(plant) {
      const reply = await send('POST', '/plants', plant);
      expect(reply.status).toBe(201);
      return (await reply.json()) as Plant;
    },
    async read(id) {
      const reply = await send('GET', `/plants/${id}`);
      expect(reply.status).toBe(200);
      return (await reply.json()) as Plant;
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Expects a refusal, as problem details. */
export async function expectProblem(reply: Response, status: number): Promise<void> {
  expect(reply.status).toBe(status);
  expect(reply.headers.get('Content-Type')).toBe('application/problem+json');
  const problem = (await reply.json()) as Problem;
  expect(problem).toMatchObject({ status, title: expect.any(String) as string, detail: expect.any(String) as string });
}
