import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { createHandlers } from '../../src/handlers';
import { service } from '../../src/service';
import { openPlantStore } from '../../src/store/plant-store';
import { loadText } from '../support/load-text';
import { serveApp } from '../support/serve-app';
import { readRows, TOKEN, type Row } from '../support/start-app';

/** The plant store on a socket, with a database of its own. */
export interface Service extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly rows: () => Row[];
  /** Creates a plant of a body as it is written. */
  readonly create: (body: string) => Promise<void>;
}

/** @param contract of the plant store, with an operation more: listPlants replies with plants and their ids */
export async function startService(contract: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'plants-'));
  const file = join(folder, 'plants.db');
  const store = await openPlantStore({ file });
  const listPlants: UntypedHandler = (_request, reply) =>
    reply(
      200,
      readRows(file).map(({ id, name, tag }) => ({ id, name, ...(tag !== null && { tag }) })),
    );
  const app = await serveApp({
    contract: loadText(contract),
    handlers: { ...createHandlers(store), listPlants },
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    isUnavailable: service.isUnavailable,
  });
  return {
    origin: app.base.origin,
    rows: () => readRows(file),
    async create(body) {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
      const { status } = await fetch(new URL('plants', app.base), { method: 'POST', headers, body });
      if (status !== 200) throw new Error(`${body} is ${String(status)}`);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
