import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { mapInOrder } from '../../packages/conformance/src/exchange/pool';
import type { CorpusContract } from './contracts';
import { LOST, type Outcome } from './report';
import { FROM_SOURCE } from '../support/from-source';

const ARGS = [...FROM_SOURCE, '--max-old-space-size=8192'];

/** How a contract is tried. */
export interface TryOptions {
  /** In milliseconds, until the service has started. */
  readonly limit: number;
  /** In milliseconds, for the suite. */
  readonly suiteLimit: number;
  /** Whether the service is judged. */
  readonly isJudged: boolean;
}

/**
 * Tries each contract, as many at once as there are cores, each in a process that is replaced when a contract ends it or
 * takes too long. The outcomes are in the order of the contracts.
 */
export async function* runCorpus(contracts: readonly CorpusContract[], options: TryOptions): AsyncGenerator<Outcome> {
  const workers = new Map<number, ChildProcess>();
  try {
    yield* mapInOrder(contracts, availableParallelism(), async (contract, lane) => {
      const worker = workers.get(lane) ?? startWorker();
      workers.set(lane, worker);
      const { outcome, isDone } = await tryIn(worker, contract, options);
      if (!isDone) {
        worker.kill('SIGKILL');
        workers.delete(lane);
      }
      return outcome ?? { ...LOST, name: contract.name };
    });
  } finally {
    for (const worker of workers.values()) worker.kill();
  }
}

function startWorker(): ChildProcess {
  return fork(join(__dirname, 'worker.ts'), { execArgv: ARGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** What is known of a contract when the worker is done with it, or when its time is over. */
function tryIn(
  worker: ChildProcess,
  contract: CorpusContract,
  { limit, suiteLimit, isJudged }: TryOptions,
): Promise<{ readonly outcome: Outcome | undefined; readonly isDone: boolean }> {
  return new Promise((resolve) => {
    let outcome: Outcome | undefined;
    let timer = setTimeout(end, limit, false);
    const onExit = (): void => {
      end(false);
    };
    const onMessage = (message: Outcome | 'done'): void => {
      if (message === 'done') end(true);
      else {
        outcome = message;
        clearTimeout(timer);
        timer = setTimeout(end, suiteLimit, false);
      }
    };

    function end(isDone: boolean): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onExit);
      resolve({ outcome, isDone });
    }
    worker.on('message', onMessage).on('exit', onExit);
    worker.send({ contract, isJudged });
  });
}
