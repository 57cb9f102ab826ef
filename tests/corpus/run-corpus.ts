import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CorpusContract } from './contracts';
import type { Outcome } from './outcome';

const ARGS = ['--conditions=source', '--require', 'ts-node/register/transpile-only', '--max-old-space-size=8192'];

/**
 * Tries each contract, in a process that is replaced when a contract ends it or takes too long.
 *
 * @param limit in milliseconds, for one contract
 */
export async function* runCorpus(contracts: readonly CorpusContract[], limit: number): AsyncGenerator<Outcome> {
  let worker: ChildProcess | undefined;
  try {
    for (const contract of contracts) {
      worker ??= fork(join(__dirname, 'worker.ts'), { execArgv: ARGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const outcome = await tryIn(worker, contract, limit);
      if (typeof outcome === 'string') {
        worker.kill('SIGKILL');
        worker = undefined;
      }
      yield typeof outcome === 'string' ? toLost(contract, outcome) : outcome;
    }
  } finally {
    worker?.kill();
  }
}

/** @returns the outcome, or why there is none */
async function tryIn(worker: ChildProcess, contract: CorpusContract, limit: number): Promise<Outcome | string> {
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => {
    ending.abort();
  }, limit);
  worker.send(contract);
  try {
    const [outcome] = await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => ['the process ended']),
    ]);
    return outcome as Outcome | string;
  } catch {
    return `it takes more than ${String(limit / 1000)} s`;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

function toLost({ name }: CorpusContract, reason: string): Outcome {
  return {
    name,
    invalid: undefined,
    operations: 0,
    stage: 'refused',
    refusals: [reason],
    advice: [],
    milliseconds: {},
    megabytes: undefined,
    suite: 'not judged',
    suiteReason: undefined,
  };
}
