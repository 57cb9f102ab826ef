import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { CorpusContract } from './contracts';
import type { Outcome } from './outcome';

const ARGS = ['--conditions=source', '--require', 'ts-node/register/transpile-only', '--max-old-space-size=8192'];

/** For the suite, whose verdict is one of several results. */
const SUITE_LIMIT_MS = 30_000;

/**
 * Tries each contract, in a process that is replaced when a contract ends it or takes too long.
 *
 * @param limit in milliseconds, for one contract until it is judged
 */
export async function* runCorpus(contracts: readonly CorpusContract[], limit: number): AsyncGenerator<Outcome> {
  let worker: ChildProcess | undefined;
  try {
    for (const contract of contracts) {
      worker ??= fork(join(__dirname, 'worker.ts'), { execArgv: ARGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const { outcome, isDone } = await tryIn(worker, contract, limit);
      if (!isDone) {
        worker.kill('SIGKILL');
        worker = undefined;
      }
      yield outcome ?? toLost(contract, limit);
    }
  } finally {
    worker?.kill();
  }
}

/** What is known of a contract when the worker is done with it, or when its time is over. */
function tryIn(
  worker: ChildProcess,
  contract: CorpusContract,
  limit: number,
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
        timer = setTimeout(end, SUITE_LIMIT_MS, false);
      }
    };

    function end(isDone: boolean): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onExit);
      resolve({ outcome, isDone });
    }
    worker.on('message', onMessage).on('exit', onExit);
    worker.send(contract);
  });
}

function toLost({ name }: CorpusContract, limit: number): Outcome {
  return {
    name,
    invalid: undefined,
    operations: 0,
    stage: 'refused',
    refusals: [`it takes more than ${String(limit / 1000)} s, or the process ended`],
    advice: [],
    milliseconds: {},
    megabytes: undefined,
    suite: 'not judged',
    suiteReason: undefined,
  };
}
