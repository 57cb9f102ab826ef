import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { StoreUnavailable } from '@contract-kit/store';
import { sha256 } from '../plants/generated/contract';
import { createTokenVerifier, createRenderer, type BearerVerifier } from '@contract-kit/server';
import { loadContract } from '@contract-kit/contract';
import { createSituations } from '@contract-kit/server/testing';
import { createHandlers } from '../plants/src/handlers';
import { service } from '../plants/src/service';
import { openPlantStore, type PlantStore } from '../plants/src/store/plant-store';
import { serveApp, type ServedApp, type ServeParts } from './serve-app';
import type { UntypedHandler } from './untyped-handler';
import type { Server } from 'node:http';
import request, { type Test } from 'supertest';

export const TOKEN = 'a-token-for-the-tests';

/** The secrets that the tests use, by security scheme: a token, a key, or user:password. */
export const SECRETS: Readonly<Record<string, string>> = Object.fromEntries(
  loadContract('packages/test-support/plants/openapi.yaml', sha256)
    .operations.flatMap(({ security }) => security.flat())
    .map(({ scheme, challenge }) => [scheme, challenge === 'Bearer' ? TOKEN : `${scheme}:${TOKEN}`]),
);

const VERIFIERS = Object.fromEntries(
  Object.entries(SECRETS).map(([scheme, secret]) => [scheme, createTokenVerifier([secret])]),
);

/** A row of the table `plants`, and what SQLite says its text's bytes are. */
export interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/** The whole application on a socket, with a database of its own. */
export interface RunningApp extends ServedApp {
  readonly folder: string;
  rows(): Row[];
  readonly keeps: NonNullable<ServedApp['keeps']>;
  /** Changes whenever something is written to the database. */
  readonly version: () => unknown;
  /** How many plants are in the database. */
  readonly count: () => number;
}

/** What the application is made of, and what its handlers and verifiers are made of. */
export interface StartParts extends ServeParts {
  readonly store: PlantStore;
  /** Whose tokens count. */
  readonly verify: BearerVerifier['verify'];
}

/** What is wrong with the service in each situation of the suite. */
export const SITUATIONS = createSituations(new StoreUnavailable('away'));

/**
 * @param wrap puts something round the store, behind which the rows are still looked at
 * @param more handlers of operations that the parts' own contract has beside those of the plant store
 */
export async function startApp(
  parts: Partial<StartParts> = {},
  wrap: (store: PlantStore) => PlantStore = (store) => store,
  more: Readonly<Record<string, UntypedHandler>> = {},
): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'plants-'));
  const file = join(folder, 'plants.db');
  const store = parts.store ?? (await openPlantStore({ file }));
  const reader = parts.store ? undefined : new DatabaseSync(file, { readOnly: true, timeout: 2_000 });
  const statements = new Map<string, StatementSync | undefined>();
  const get = (sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined => {
    const statement = statements.get(sql) ?? reader?.prepare(sql);
    statements.set(sql, statement);
    return statement?.get(...values);
  };
  const { contract = loadContract('packages/test-support/plants/openapi.yaml', sha256) } = parts;
  const app = await serveApp({
    contract,
    render: createRenderer({ ...service, contract }),
    handlers: { ...createHandlers(wrap(store)), ...more },
    verifiers: { ...VERIFIERS, ...(parts.verify && { bearerAuth: parts.verify }) },
    isUnavailable: service.isUnavailable,
    ...parts,
  });
  return {
    ...app,
    folder,
    rows: () => readRows(file),
    keeps: (operation, created) => {
      if (operation !== 'createPlant') return true;
      const columns = Object.keys(created).map((name) => `"${name}" IS ?`);
      const select = `SELECT 1 FROM plants WHERE ${columns.join(' AND ')}`;
      return get(select, ...(Object.values(created) as SQLInputValue[])) !== undefined;
    },
    version: () => get('PRAGMA data_version')?.['data_version'],
    count: () => Number(get('SELECT count(*) AS all_of_them FROM plants')?.['all_of_them'] ?? 0),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      reader?.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The plants in a database, as another program reads them. */
export function readRows(file: string): Row[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 2_000 });
  const select = database.prepare('SELECT id, name, tag FROM plants ORDER BY rowid');
  select.setReadBigInts(true);
  const rows = select.all().map((row) => ({ ...row }) as unknown as Row);
  database.close();
  return rows;
}

/** POST /plants with valid credentials and the body as it stands, so that numbers and escapes arrive as written. */
export function postPlant(server: Server, body: string | Buffer, headers: Record<string, string> = {}): Test {
  return request(server)
    .post('/plants')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((sent: unknown) => sent as string)
    .send(body);
}
