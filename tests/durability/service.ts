import { LISTENING, startProcess, type ServiceProcess } from '../support/start-process';
import { TOKEN } from './client';

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
