// The process of the server under development, and the one that replaces it.
import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';

// After it, a server that was told to end is killed, with its open requests.
const END_TIMEOUT_MS = 10_000;
// After it, a server that is not ready is reported.
const READY_TIMEOUT_MS = 10_000;

export interface ServerProcess {
  isRunning(): boolean;
  /**
   * Starts a new one. When it is ready, `onReady` is called; then the old one takes no more connections, and ends after
   * its last reply. Returns what the new one wrote to standard error, if it ended before it was ready.
   */
  swap(onReady: () => void): Promise<string | undefined>;
  /** Ends the one that is not ready yet. */
  giveUp(): void;
  stop(): void;
}

/**
 * Manages the process of the server under development. It does not start one yet: `swap` does.
 *
 * @param main the path of the server's main file
 * @param onEnd is called with the status, or the signal, when the server ends without being asked to
 */
export function createServerProcess(main: string, onEnd: (status: string) => void): ServerProcess {
  // In a cluster this process holds the sockets that servers listen on: no connection is refused between two servers.
  // SCHED_NONE: the servers accept connections from them directly; by default this process would, and pass them on.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: main,
    args: [],
    execArgv: ['--enable-source-maps'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  // A bearer token that all servers of this session accept, so that it can be used after a swap, too.
  const env = { DEV_TOKEN: randomBytes(32).toString('base64url') };
  // The last server that became ready, and the one that is not ready yet.
  let current: Worker | undefined;
  let starting: Worker | undefined;
  // What the last server wrote to standard error until it was ready.
  let lastErrorOutput = '';

  function isRunning(): boolean {
    return current?.isDead() === false;
  }

  /**
   * Starts a server, and waits until it is ready or has ended.
   *
   * @returns whether it became ready, and what it wrote to standard error until then; later output is printed at once
   */
  function startWorker(): Promise<{ isReady: boolean; errorOutput: string; worker: Worker }> {
    const worker = cluster.fork(env);
    const child = worker.process;
    starting = worker;
    let errorOutput = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (starting === worker) errorOutput += text;
      else process.stderr.write(text);
    });
    const timer = setTimeout(() => {
      console.error(`${errorOutput}dev: the server is not ready yet; it sends "ready" to its parent when it is`);
    }, READY_TIMEOUT_MS);
    return new Promise((resolve) => {
      // The server became ready, or ended. After the first call, `resolve` has no effect.
      function settle(isReady: boolean): void {
        clearTimeout(timer);
        if (starting === worker) starting = undefined;
        resolve({ isReady, errorOutput, worker });
      }
      worker.on('message', (message) => {
        // By the end of this turn of the event loop, all that the server wrote before the message is read.
        if (message === 'ready') setImmediate(settle, true);
      });
      child.once('close', (status: number | null, signal: string | null) => {
        settle(false);
        // A server that was replaced or told to stop is not the current one by now.
        if (current === worker) onEnd(String(status ?? signal));
      });
    });
  }

  /** Lets a server finish its open requests, and kills it if that takes too long. Does nothing without a server. */
  function endWorker(worker: Worker | undefined): void {
    worker?.process.kill('SIGTERM');
    setTimeout(() => worker?.process.kill('SIGKILL'), END_TIMEOUT_MS).unref();
  }

  return {
    isRunning,
    // Starts a server, and replaces the current one when the new one is ready. If it ends before, returns its output.
    async swap(onReady) {
      const { isReady, errorOutput, worker } = await startWorker();
      if (!isReady) return errorOutput;
      // The same output as last time is not repeated.
      if (errorOutput !== lastErrorOutput) process.stderr.write(errorOutput);
      lastErrorOutput = errorOutput;
      const old = current;
      current = worker;
      onReady();
      endWorker(old);
      return undefined;
    },
    giveUp() {
      starting?.process.kill('SIGKILL');
    },
    // Ends all servers, also one that still starts and one that finishes its requests.
    stop() {
      // Now the end of no server is reported: see startWorker.
      current = undefined;
      for (const worker of Object.values(cluster.workers ?? {})) endWorker(worker);
    },
  };
}
