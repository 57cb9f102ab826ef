import ts from 'typescript';
import { join, resolve } from 'node:path';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRenderer, loadContract, serveContract, type Service } from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { parseYaml, readOperations, type Document, type Operation } from '@contract-kit/contract';
import { bundleContract } from '../../packages/tools/src/bundle/bundle-contract';
import { writeContract, writeFiles } from '../../packages/tools/src/new/create-project';
import { makeProjectFiles } from '../../packages/tools/src/new/project-files';
import type { NewContract } from '../../packages/tools/src/new/read-contract';
import type { CorpusContract } from './run';
import { UNTRIED, type Outcome, type SuiteVerdict } from './report';
import { chooseCases, createSuite, findUnbuilt, groupByCause, runCase } from '@contract-kit/conformance';
import { startService } from '@contract-kit/server/testing';
import { mapInOrder } from '../../packages/conformance/src/exchange/pool';

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
async function tryContract(
  { name, file }: CorpusContract,
  isJudged: boolean,
  report: (outcome: Outcome) => void,
): Promise<void> {
  const document = parseYaml(readServed(file), name);
  const outcome = {
    ...UNTRIED,
    name,
    invalid: await findInvalidity(name, document),
    operations: countOperations(document),
    milliseconds: {} as Record<string, number>,
  };
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  try {
    const contract = await measure('make', () => make(file, folder));
    outcome.unserved = outcome.operations - contract.operations.length;
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

/** The text of a contract as it is served: one of several files as one document. */
function readServed(file: string): string {
  const source = readFileSync(file, 'utf8');
  try {
    return bundleContract(source, file).source;
  } catch {
    // Why it cannot be one document is told as the refusal.
    return source;
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
}

/** What `src/main.ts` of the project does before it listens. */
async function start(folder: string): Promise<unknown> {
  const { service } = load(join(folder, 'src/service')) as { readonly service: Service<object> };
  const { file, sha256 } = load(join(folder, 'generated/contract')) as Served;
  const opened = await service.open({}, undefined as never, undefined as never);
  const contract = loadContract(join(folder, file), sha256);
  return serveContract({
    contract,
    validator: OpenApiValidator,
    handlers: opened.handlers,
    verifiers: service.createVerifiers(() => undefined, {}),
    render: createRenderer({ ...service, contract }),
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

// Evenly chosen where there are more.
const MAX_OPERATIONS = 12;
const MAX_CASES = 400;
const AT_ONCE = 8;

/**
 * Judges the service of a project, whose handlers are not written yet, by the conformance suite: by all cases, or by some
 * of them where they are many.
 */
async function judgeService(
  folder: string,
  operations: readonly Operation[],
): Promise<{ readonly verdict: SuiteVerdict; readonly reason: string | undefined }> {
  const served = load(join(folder, 'generated/contract')) as Served;
  let suite;
  let place = 0;
  try {
    suite = createSuite(readFileSync(join(folder, served.file), 'utf8'), {
      marker: 'made-by-the-suite',
      level: 'contract',
      isTried: () => isChosen(place++, operations.length, MAX_OPERATIONS),
    });
  } catch (error) {
    return { verdict: 'not judged', reason: (error as Error).message };
  }
  const { service } = load(join(folder, 'src/service')) as { readonly service: Service<object> };
  const all = operations.flatMap(({ security }) => security.flat());
  const secrets = Object.fromEntries(
    all.map(({ scheme, challenge }) => [scheme, `${challenge === 'Basic' ? 'tests:' : ''}a-secret-of-${scheme}`]),
  );
  await using started = await startService(service, { ...served, file: join(folder, served.file) }, secrets);
  const whole = { base: started.base, situations: started.situations, secrets, timeout: 10_000 };
  const target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const cases = chooseCases(suite, target, { isWanted: () => true });
  const chosen = cases.filter((_one, index) => isChosen(index, cases.length, MAX_CASES));
  const results = await Array.fromAsync(
    mapInOrder(chosen, AT_ONCE, (one) => runCase(suite.oracleFor(secrets), target, one)),
  );
  const [first] = groupByCause(results.filter(({ findings }) => findings.length > 0));
  return first ? { verdict: 'red', reason: first.text } : { verdict: 'green', reason: undefined };
}

function isChosen(index: number, count: number, most: number): boolean {
  return index % Math.ceil(count / most) === 0;
}

interface Validation {
  readonly valid: boolean;
  readonly errors?: unknown;
}
interface Validator {
  readonly version: string;
  validate(document: object): Promise<Validation>;
  resolveRefs(): unknown;
}

// What OpenAPI or JSON Schema says that it must not, and the validator does not look at.
const WRONG: Readonly<Record<string, string>> = {
  '@mojaloop/api-snippets/docs/sdk-scheme-adapter-backend-v2_1_0-openapi3-snippets.yaml':
    '{commitRequestId} is in a path and not among its parameters (OpenAPI 3.0, Path Templating)',
  '@readme/oas-examples/3.0/json/response-http-behavior.json':
    'the security scheme api_key is not declared (OpenAPI 3.0, Security Requirement Object)',
  '@readme/oas-examples/3.0/json/schema-validation.json':
    'the default of an integer is a string (OpenAPI 3.0, Schema Object: it MUST conform to the type)',
  '@readme/oas-examples/3.1/json/schema-validation-local.json':
    'exclusiveMinimum is true in schemas of draft-06 to 2019-09 (JSON Schema, Validation: it MUST be a number)',
};

/**
 * Judges a document by the schemas that the OpenAPI Initiative publishes, and its references.
 *
 * @param name of the contract
 * @returns why it is no OpenAPI 3.0 or 3.1; undefined if it is
 */
async function findInvalidity(name: string, document: unknown): Promise<string | undefined> {
  // It is installed with the corpus only, so its types are not there when the rest is compiled.
  const { Validator } = load('@seriousme/openapi-schema-validator') as { readonly Validator: new () => Validator };
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as object);
  if (!valid) return JSON.stringify(errors).slice(0, 100);
  if (!['3.0', '3.1'].includes(validator.version)) return `its version is ${validator.version}`;
  try {
    validator.resolveRefs();
    return WRONG[name];
  } catch (error) {
    return (error as Error).message;
  }
}

// Tries one contract after the other for run.ts, which ends this process when one takes too long.
setFlagsFromString('--expose-gc');
Object.assign(globalThis, { gc: runInNewContext('gc') as () => void });

// The linter warns of each format that it does not know.
console.warn = () => undefined;

process.on('disconnect', () => process.exit());
process.on('message', ({ contract, isJudged }: { readonly contract: CorpusContract; readonly isJudged: boolean }) => {
  void tryContract(contract, isJudged, (outcome) => process.send?.(outcome)).then(() => process.send?.('done'));
});
