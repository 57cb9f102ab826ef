import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { printStatus } from '../diagnostics/diagnostic';

// If a server has not exited after this time, it is killed.
const END_TIMEOUT_MS = 10_000;
const READY_TIMEOUT_MS = 10_000;

export interface ServerProcess {
  isRunning(): boolean;
  /**
   * Starts a new server. When it is ready, calls `onReady`. The old server then stops accepting connections, and exits after its
   * last response. If the new server exits before it is ready, returns what it wrote to standard error.
   */
  swap(onReady: () => void): Promise<string | undefined>;
  /** Kills a server that is not ready yet. */
  killStarting(): void;
  stop(): void;
}

/**
 * Creates the manager of the server under development. Only `swap` starts a server.
 *
 * @param main the path of the server's main file
 * @param onEnd called with the status, or the signal, if the server exits without being asked to
 */
export function createServerProcess(main: string, onEnd: (status: string) => void): ServerProcess {
  // In a cluster, this process owns the listening sockets, so no connection is refused between two servers. With SCHED_NONE, the
  // servers accept connections themselves. By default, this process would accept connections and pass them on.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: main,
    args: [],
    execArgv: ['--enable-source-maps'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  // All servers of this session accept the same bearer token, so that it still works after a swap.
  const env = { DEV_TOKEN: randomBytes(32).toString('base64url'), WORKERS: '1' };
  let currentWorker: Worker | undefined;
  let startingWorker: Worker | undefined;

  function isRunning(): boolean {
    return currentWorker?.isDead() === false;
  }

  // Starts a server, and waits until it is ready or has exited. Returns its output until then; later output is printed.
  function startWorker(): Promise<{ isReady: boolean; errorOutput: string; worker: Worker }> {
    const worker = cluster.fork({ ...env, ...(isRunning() && { DEV_REPLACES: '1' }) });
    const child = worker.process;
    startingWorker = worker;
    let errorOutput = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (startingWorker === worker) errorOutput += text;
      else process.stderr.write(text);
    });
    const timer = setTimeout(() => {
      process.stderr.write(errorOutput);
      printStatus(
        'red',
        `the server is not ready after ${String(READY_TIMEOUT_MS / 1000)} s; it must send "ready" to its parent process`,
      );
    }, READY_TIMEOUT_MS);
    return new Promise((resolve) => {
      function settle(isReady: boolean): void {
        clearTimeout(timer);
        if (startingWorker === worker) startingWorker = undefined;
        resolve({ isReady, errorOutput, worker });
      }
      worker.on('message', (message) => {
        // First read everything that the server wrote before the message.
        if (message === 'ready') setImmediate(settle, true);
      });
      child.once('close', (status: number | null, signal: string | null) => {
        settle(false);
        // A server that was replaced or asked to stop is no longer the current one.
        if (currentWorker === worker) onEnd(String(status ?? signal));
      });
    });
  }

  function endWorker(worker: Worker | undefined): void {
    worker?.process.kill('SIGTERM');
    setTimeout(() => worker?.process.kill('SIGKILL'), END_TIMEOUT_MS).unref();
  }

  return {
    isRunning,
    async swap(onReady) {
      const { isReady, errorOutput, worker } = await startWorker();
      if (!isReady) return errorOutput;
      process.stderr.write(errorOutput);
      const oldWorker = currentWorker;
      currentWorker = worker;
      onReady();
      endWorker(oldWorker);
      return undefined;
    },
    killStarting() {
      startingWorker?.process.kill('SIGKILL');
    },
    // Also stops a server that is starting, and one that is finishing its requests.
    stop() {
      // From now on, startWorker does not report that a server has exited.
      currentWorker = undefined;
      for (const worker of Object.values(cluster.workers ?? {})) endWorker(worker);
    },
  };
}
