import { LISTENING, startProcess, type ServiceProcess } from '../support/start-process';
import { TOKEN, startLoad } from './load';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger, createPlants } from './ledger';
import { createRandom } from './random';

/** The compiled service, listening. */
export interface Service extends Disposable {
  readonly url: string;
  readonly process: ServiceProcess;
  /** How long it took to listen, in milliseconds. */
  readonly startMs: number;
  /** Ends it and waits for that. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

// Coverage is written at the end of a process, which few of these come to.
const ENV = { API_TOKENS: TOKEN, NODE_V8_COVERAGE: '' };

/** Starts it, whatever comes of it. */
export function spawnService(database: string, nodeArgs: readonly string[] = []): ServiceProcess {
  return startProcess({ ...ENV, DATABASE_URL: database }, nodeArgs);
}

/** @throws Error when it does not come to listen */
export async function startService(database: string): Promise<Service> {
  const start = performance.now();
  const process = spawnService(database);
  try {
    const [, url = ''] = await process.waitFor(LISTENING);
    return {
      url,
      process,
      startMs: performance.now() - start,
      async end(signal) {
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

const FILL_MS = 1_000;

/** The bytes of a SQLite file that a service has filled and closed, and how many rows are in it. */
export async function makeDatabase(): Promise<{ bytes: Buffer; rows: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  const file = join(folder, 'plants.db');
  const service = await startService(`file:${file}`);
  const load = startLoad(service.url, createLedger(), createPlants(createRandom('database')));
  await new Promise((resolve) => setTimeout(resolve, FILL_MS));
  await load.stop();
  await service.end('SIGTERM');
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return { bytes, rows: load.statuses.get(200) ?? 0 };
}
