// The process of the server under development.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

// After it, requests that are still in flight are cut.
const DRAIN_MS = 1_000;

/** The server under development, a process of its own. */
export interface ServerProcess {
  isRunning(): boolean;
  /**
   * Starts it, after the one that runs has ended.
   *
   * @param onListening is told, when it logs that it listens, for how many milliseconds nobody did; undefined where none
   *   ran before
   */
  swap(onListening: (gap: number | undefined) => void): Promise<void>;
  /** Lets no other one start. */
  close(): void;
  /** Ends the one that runs. */
  stop(): Promise<void>;
}

/**
 * @param args of node
 * @param onEnd is told the status, or the signal, when it ends without being asked to
 */
export function createServerProcess(args: readonly string[], onEnd: (status: string) => void): ServerProcess {
  let child: ChildProcess | undefined;
  let isClosed = false;

  function isRunning(): boolean {
    return child?.exitCode === null && child.signalCode === null;
  }

  async function stop(): Promise<void> {
    const old = child;
    if (old === undefined || !isRunning()) return;
    child = undefined;
    const ended = once(old, 'exit');
    old.kill();
    // A second signal ends it at once.
    const timer = setTimeout(() => old.kill(), DRAIN_MS);
    await ended;
    clearTimeout(timer);
  }

  return {
    isRunning,
    stop,
    close() {
      isClosed = true;
    },
    async swap(onListening) {
      const start = isRunning() ? performance.now() : undefined;
      await stop();
      if (isClosed) return;
      const next = spawn(process.execPath, args, { stdio: ['inherit', 'pipe', 'inherit'] });
      child = next;
      let isListening = false;
      createInterface(next.stdout).on('line', (line) => {
        console.log(line);
        if (isListening || !line.endsWith('"msg":"listening"}')) return;
        isListening = true;
        onListening(start === undefined ? undefined : performance.now() - start);
      });
      next.once('exit', (status, signal) => {
        if (child === next && !isClosed) onEnd(String(status ?? signal));
      });
    },
  };
}
