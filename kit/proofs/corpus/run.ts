// Creates a project for each contract in a corpus from other teams, and prints the results.
import { fork, type ChildProcess } from 'node:child_process';
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createProgress } from '@contract-kit/conformance/terminal';
import { mapInOrder } from '../../packages/conformance/src/exchange/pool';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { writeSeveralFiles } from '../../packages/tools/tests/several-files';
import { formatReasons, formatRow, HEADING, isEnough, summarize, toPage, UNTRIED, type Outcome } from './report';

/** A contract from another team, or one of ours if no package has one like it. */
export interface CorpusContract {
  /** The path in node_modules, or a description for one of ours. */
  readonly name: string;
  readonly file: string;
}

const MODULES = join(__dirname, 'node_modules');

// Each contract once: most packages have it as YAML and JSON, some with all references written out as well.
const FILES = [
  '@blockfrost/openapi/openapi.yaml',
  '@dcl/catalyst-api-specs/lib/api.yaml',
  '@digdir/dialogporten-schema/swagger.verified.json',
  '@directus/specs/dist/openapi.json',
  '@figma/rest-api-spec/openapi/openapi.yaml',
  '@ideal-postcodes/openapi/dist/openapi.json',
  '@interledger/open-payments/dist/openapi/specs/*.yaml',
  '@mojaloop/api-snippets/docs/*-openapi3-snippets.yaml',
  '@octokit/openapi/generated/api.github.com.json',
  '@readme/oas-examples/3.*/json/**/*.json',
  '@scalar/galaxy/dist/3.1.json',
  'rclone-openapi/openapi.json',
  'shipengine-openapi/openapi.json',
];

const SEVERAL_FILES = 'reports/several-files';
const SAMPLE_BYTES = 100_000;
const SAMPLE_STEP = 3;

/**
 * The contracts that are installed, by name.
 *
 * @param isSample takes every third of those that are not large
 * @throws Error when a package no longer has what is listed here
 */
function findContracts(isSample: boolean): CorpusContract[] {
  const names = FILES.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: MODULES });
    if (found.length === 0)
      throw new Error(`no package in the corpus has ${pattern}; run npm ci --prefix proofs/corpus`);
    return found;
  });
  const ours = { name: 'several files', file: writeSeveralFiles(SEVERAL_FILES) };
  const all = [...names.sort().map((name) => ({ name, file: join(MODULES, name) })), ours];
  if (!isSample) return all;
  return all
    .filter(({ file }) => statSync(file).size < SAMPLE_BYTES)
    .filter((_one, index) => index % SAMPLE_STEP === 0);
}

/** In milliseconds, until the service has started; in a sample, and for the suite, it is shorter. */
const LIMIT = 600_000;
const SHORT_LIMIT = 120_000;
const DAY = 'yyyy-mm-dd'.length;

/**
 * Tries each contract, as many at once as there are cores, each in a process that is replaced when a contract ends it or
 * takes too long.
 *
 * @param args `--sample` for some of the contracts, `--start-only` without the suite, `--write` for docs/corpus.md, a part
 * of a name for those that have it
 */
async function main(args: readonly string[]): Promise<void> {
  const [part = ''] = args.filter((one) => !one.startsWith('-'));
  const isSample = args.includes('--sample');
  const isJudged = !args.includes('--start-only');
  const contracts = findContracts(isSample).filter(({ name }) => name.includes(part));
  const workers = new Map<number, ChildProcess>();
  const outcomes: Outcome[] = [];
  const show = createProgress();
  console.log(HEADING);
  try {
    const tried = mapInOrder(contracts, availableParallelism(), async (contract, lane) => {
      const worker = workers.get(lane) ?? startWorker();
      workers.set(lane, worker);
      const { outcome, isDone } = await tryIn(worker, { contract, isJudged }, isSample ? SHORT_LIMIT : LIMIT);
      if (!isDone) {
        worker.kill('SIGKILL');
        workers.delete(lane);
      }
      return outcome ?? { ...UNTRIED, name: contract.name, refusals: ['it took too long, or the process ended'] };
    });
    for await (const outcome of tried) {
      outcomes.push(outcome);
      show();
      console.log(formatRow(outcome));
      show(`${String(outcomes.length)} of ${String(contracts.length)}`, outcomes.length, contracts.length);
    }
  } finally {
    for (const worker of workers.values()) worker.kill();
  }
  show();
  const reasons = formatReasons(outcomes);
  console.log(`\n${reasons}`);
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/corpus.txt', `${[HEADING, ...outcomes.map(formatRow), '', reasons].join('\n')}\n`);
  if (args.includes('--write')) {
    writeFileSync('docs/corpus.md', toPage(outcomes, new Date().toISOString().slice(0, DAY)));
  }
  console.log(`result: ${summarize(outcomes)}`);
  if (!isEnough(outcomes)) process.exitCode = 1;
}

function startWorker(): ChildProcess {
  return fork(join(__dirname, 'try-contract.ts'), {
    execArgv: [...FROM_SOURCE, '--max-old-space-size=8192'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Returns the outcome of a contract so far, when the worker is done with it or its time is over. */
function tryIn(
  worker: ChildProcess,
  order: { readonly contract: CorpusContract; readonly isJudged: boolean },
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
        timer = setTimeout(end, SHORT_LIMIT, false);
      }
    };

    function end(isDone: boolean): void {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onExit);
      resolve({ outcome, isDone });
    }
    worker.on('message', onMessage).on('exit', onExit);
    worker.send(order);
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
