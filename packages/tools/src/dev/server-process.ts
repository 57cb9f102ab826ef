// The process of the server under development, and the one that replaces it.
import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';

// After it, a server that was told to end is killed, with its open requests.
const DRAIN_MS = 10_000;
// After it, a server that is not ready is reported.
const SLOW_MS = 10_000;

/** The server under development, a process of its own. */
export interface ServerProcess {
  isRunning(): boolean;
  /**
   * Starts a new one. When it is ready, the one that ran takes no more connections, and ends after its last reply.
   *
   * @param onReady is called before the old server is told to end
   * @returns what the new one wrote to standard error, if it ended before it was ready
   */
  swap(onReady: () => void): Promise<string | undefined>;
  /** Ends the one that is not ready yet. */
  giveUp(): void;
  /** Ends all that run. */
  stop(): void;
}

/**
 * @param main the path of its main file
 * @param onEnd is told the status, or the signal, when it ends without being asked to
 */
export function createServerProcess(main: string, onEnd: (status: string) => void): ServerProcess {
  // This process holds the sockets that all servers listen on, so that no connection is refused between two of them.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: main,
    args: [],
    execArgv: ['--enable-source-maps'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  // One token for all servers of this session, unless the settings have another.
  const env = { DEV_TOKEN: randomBytes(32).toString('base64url') };
  let current: Worker | undefined;
  let starting: Worker | undefined;
  // What the last server wrote to standard error until it was ready.
  let lastText = '';

  function isRunning(): boolean {
    return current?.isDead() === false;
  }

  /** Starts a server. @returns whether it became ready, and what it wrote to standard error until then */
  function start(): Promise<{ isReady: boolean; text: string; worker: Worker }> {
    const worker = cluster.fork(env);
    const child = worker.process;
    starting = worker;
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      if (starting === worker) text += more;
      else process.stderr.write(more);
    });
    const timer = setTimeout(() => {
      console.error(`${text}dev: the server is not ready yet; it sends "ready" to its parent when it is`);
    }, SLOW_MS);
    return new Promise((resolve) => {
      function settle(isReady: boolean): void {
        clearTimeout(timer);
        if (starting === worker) starting = undefined;
        resolve({ isReady, text, worker });
      }
      // By the end of this turn of the event loop, all that it wrote before is read.
      worker.on('message', (message) => {
        if (message === 'ready') setImmediate(settle, true);
      });
      child.once('close', (status: number | null, signal: string | null) => {
        settle(false);
        if (current === worker) onEnd(String(status ?? signal));
      });
    });
  }

  function end(worker: Worker | undefined): void {
    worker?.process.kill('SIGTERM');
    setTimeout(() => worker?.process.kill('SIGKILL'), DRAIN_MS).unref();
  }

  return {
    isRunning,
    async swap(onReady) {
      const { isReady, text, worker } = await start();
      if (!isReady) return text;
      // The same text as last time is not repeated.
      if (text !== lastText) process.stderr.write(text);
      lastText = text;
      const old = current;
      current = worker;
      onReady();
      end(old);
      return undefined;
    },
    giveUp() {
      starting?.process.kill('SIGKILL');
    },
    stop() {
      current = undefined;
      for (const worker of Object.values(cluster.workers ?? {})) end(worker);
    },
  };
}
