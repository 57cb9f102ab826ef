import ts from 'typescript';
import { join, resolve } from 'node:path';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { createRenderer, loadContract, serveContract, type Service } from '@contract-kit/server';
import { expressOpenapiValidator } from '@contract-kit/server/express-openapi-validator';
import { parseYaml, readOperations, type Document } from '@contract-kit/server/contract';
import { writeContract, writeFiles } from '../../packages/tools/src/new/create-project';
import { makeProjectFiles } from '../../packages/tools/src/new/project-files';
import type { NewContract } from '../../packages/tools/src/new/read-contract';
import type { CorpusContract } from './contracts';
import { judgeService } from './judge-service';
import type { Outcome, Stage } from './outcome';
import { findInvalidity } from './validate';

// What all projects have in common is parsed once.
const sources = new Map<string, ts.SourceFile | undefined>();

/**
 * Compiles a project as its src/tsconfig.json says, in this process.
 *
 * @returns what is wrong, a text for each
 */
function compileProject(folder: string): string[] {
  const parsed = ts.getParsedCommandLineOfConfigFile(join(folder, 'src/tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  });
  if (!parsed) throw new Error(`${folder} has no src/tsconfig.json`);
  const host = ts.createCompilerHost(parsed.options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (file.startsWith(folder)) return getSourceFile(file, ...rest);
    if (!sources.has(file)) sources.set(file, getSourceFile(file, ...rest));
    return sources.get(file);
  };
  const program = ts.createProgram(parsed.fileNames, { ...parsed.options, noEmit: true }, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file?.fileName.slice(folder.length + 1) ?? '';
    return `${name} ${ts.flattenDiagnosticMessageText(messageText, '\n').split('\n', 1).join('')}`;
  });
}

const load = createRequire(__filename);
const MB = 1024 ** 2;

/**
 * Makes a project for a contract as `npm run new` does, but for npm; compiles it, starts it, and judges it.
 *
 * @param isJudged whether it is judged
 * @param report gets what came of it: before it is judged, which may take long, and at the end
 */
export async function tryContract(
  { name, file }: CorpusContract,
  isJudged: boolean,
  report: (outcome: Outcome) => void,
): Promise<void> {
  const document = parseYaml(readFileSync(file, 'utf8'), name);
  const outcome = {
    name,
    invalid: await findInvalidity(name, document),
    operations: countOperations(document),
    stage: 'refused' as Stage,
    refusals: [] as string[],
    advice: [] as readonly string[],
    milliseconds: {} as Record<string, number>,
    megabytes: undefined as number | undefined,
    suite: 'not judged' as Outcome['suite'],
    suiteReason: undefined as string | undefined,
  };
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  try {
    const contract = await measure('make', () => make(file, folder));
    outcome.advice = contract.advice.map(toCause);
    outcome.stage = 'made';
    outcome.refusals = await measure('compile', () => Promise.resolve(compileProject(folder)));
    if (outcome.refusals.length > 0) return;
    outcome.stage = 'compiles';
    const before = readHeap();
    const started = await measure('start', () => start(folder));
    outcome.megabytes = (readHeap() - before) / MB;
    // Until here it is needed, so that it is not collected.
    if (typeof started !== 'function') throw new Error('it serves nothing');
    outcome.stage = 'starts';
    if (!isJudged) return;
    report({ ...outcome, suiteReason: 'the suite takes too long' });
    const { verdict, reason } = await measure('suite', () => judgeService(folder, contract.operations));
    outcome.suite = verdict;
    outcome.suiteReason = reason;
  } catch (error) {
    if (outcome.stage === 'starts') outcome.suiteReason = toCause((error as Error).message);
    else outcome.refusals = (error as Error).message.split('\n').map(toCause);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    report(outcome);
  }

  async function measure<T>(what: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      outcome.milliseconds[what] = Math.round(performance.now() - start);
    }
  }
}

async function make(file: string, folder: string): Promise<NewContract> {
  const contract = await writeContract(folder, file);
  writeFiles(folder, await makeProjectFiles('project', contract, { packages: [], changelog: '', modules: '' }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return contract;
}

interface Served {
  readonly file: string;
  readonly sha256: string;
  readonly errors: never;
}

/** What `src/main.ts` of the project does before it listens. */
async function start(folder: string): Promise<unknown> {
  const { service } = load(join(folder, 'src/service')) as { readonly service: Service<object> };
  const { file, sha256, errors } = load(join(folder, 'generated/contract')) as Served;
  const opened = await service.open({}, undefined as never, undefined as never);
  const contract = loadContract(join(folder, file), sha256);
  return serveContract({
    contract,
    validator: expressOpenapiValidator,
    handlers: opened.handlers,
    verifiers: service.createVerifiers(() => undefined, {}),
    render: createRenderer({ ...service, contract, errors }),
    prefix: '',
    bodyLimit: MB,
    isUnavailable: () => false,
    report: () => undefined,
  });
}

function readHeap(): number {
  // What a finalizer frees is gone after the second time only.
  for (let time = 0; time < 2; time += 1) (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}

function countOperations(document: unknown): number {
  try {
    return readOperations(document as Document).operations.length;
  } catch {
    return 0;
  }
}

/** A line about a contract without its place and its count. */
function toCause(line: string): string {
  return line.replace(/^\S+:\d+:\d+ /, '').replace(/ \(\d+ times, .*\)$/, '');
}
