import { LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { TOKEN, startLoad } from './load';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readRows } from '@contract-kit/test-support/start-app';
import { startPostgres } from '@contract-kit/test-support/start-postgres';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';
import { createLedger, createPlants, readPlants, type Row } from './ledger';
import { createRandom } from './random';

export type Service = Awaited<ReturnType<typeof startService>>;

// Coverage is written at the end of a process, which few of these come to.
const ENV = { API_TOKENS: TOKEN, API_TOKENS_SCOPES: '*', NODE_V8_COVERAGE: '' };

/**
 * Starts it, whatever comes of it.
 *
 * @param main the script, of another service than the plant store
 */
export function spawnService(
  database: string,
  nodeArgs: readonly string[] = [],
  main = join(SERVICE_FOLDER, 'dist/main.js'),
): ServiceProcess {
  return startProcess({ ...ENV, DATABASE_URL: database }, nodeArgs, { main });
}

/** Starts the compiled service. @throws Error when it does not come to listen */
export async function startService(database: string, main?: string) {
  const start = performance.now();
  const process = spawnService(database, [], main);
  try {
    const [, url = ''] = await process.waitFor(LISTENING);
    return {
      url,
      process,
      /** How long it took to listen, in milliseconds. */
      startMs: performance.now() - start,
      /** Ends it and waits for that. */
      async end(signal: 'SIGTERM' | 'SIGKILL') {
        process.child.kill(signal);
        await process.ended;
        process[Symbol.dispose]();
      },
      [Symbol.dispose]() {
        process[Symbol.dispose]();
      },
    };
  } catch (error) {
    process[Symbol.dispose]();
    throw error;
  }
}

/** An empty database, and what another program reads of it. */
export interface Database extends AsyncDisposable {
  readonly url: string;
  readonly rows: () => Row[] | Promise<Row[]>;
  /** Throws where it is damaged. */
  readonly check?: () => void;
}

function openSqlite(): Promise<Database> {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'sqlite-'));
  const file = join(folder.path, 'plants.db');
  return Promise.resolve({
    url: `file:${file}`,
    rows: () => readRows(file),
    check() {
      using database = new DatabaseSync(file);
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    },
    [Symbol.asyncDispose]() {
      folder.remove();
      return Promise.resolve();
    },
  });
}

async function openPostgres(): Promise<Database> {
  const postgres = await startPostgres();
  return {
    url: postgres.url,
    rows: () => readPlants(postgres),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}

/** The stores, for `test.each`. */
export const STORES = [
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
] as const;

const FILL_MS = 1_000;

/** The bytes of a SQLite file that a service has filled and closed, and how many rows are in it. */
export async function makeDatabase(): Promise<{ bytes: Buffer; rows: number }> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'database-'));
  const file = join(folder.path, 'plants.db');
  const service = await startService(`file:${file}`);
  const load = startLoad(service.url, createLedger(), createPlants(createRandom('database')));
  await new Promise((resolve) => setTimeout(resolve, FILL_MS));
  await load.stop();
  await service.end('SIGTERM');
  return { bytes: readFileSync(file), rows: load.statuses.get(200) ?? 0 };
}
