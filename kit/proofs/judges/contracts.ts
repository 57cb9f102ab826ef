// Judges what the kit says of whole contracts: which are valid, what breaks clients, and what is served.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';
import type { Document } from '../../packages/contract/src/2-resolve/document';
import { readOperations } from '../../packages/contract/src/load-contract';
import { findBreakingChanges } from '../../packages/tools/src/check/breaking-changes';
import { findAdvice } from '../../packages/tools/src/check/check-contract';
import { analyseServed, generateFiles } from '../../packages/tools/src/generate/generate';
import { analyseContract } from '../../packages/tools/src/lint/analyse-contract';
import { readJsonFile, Verdicts } from './judge';

interface FailReason {
  readonly version: string;
  readonly file: string;
  /** Where the fault is, as a JSON pointer. */
  readonly pointer: string;
}

interface Told {
  /** Of what it is about. */
  readonly pointer: string;
  readonly message: string;
}

/** By the fixtures of the OpenAPI Initiative: valid contracts, and ones with a fault each. */
export async function judgeFixtures(data: string): Promise<Verdicts> {
  const folder = join(data, 'oai-fixtures');
  const verdicts = new Verdicts();
  const versions = readdirSync(folder).filter((name) => /^3\.\d$/.test(name));
  for (const path of versions.flatMap((version) => listFiles(folder, join(version, 'pass')))) {
    const { errors } = await check(join(folder, path));
    verdicts.add(path, errors.length === 0 ? undefined : 'refused');
  }
  for (const { version, file, pointer } of readJsonFile(folder, 'fail-reasons.json') as readonly FailReason[]) {
    const path = join(version, 'fail', file);
    const { errors, advice } = await check(join(folder, path));
    const isTold = [...errors, ...advice].some((told) => isAbout(told, pointer));
    verdicts.add(path, isTold ? undefined : 'not told at its place');
  }
  return verdicts;
}

function listFiles(folder: string, below: string): string[] {
  return readdirSync(join(folder, below)).map((file) => join(below, file));
}

async function check(file: string): Promise<Record<'errors' | 'advice', Told[]>> {
  try {
    const analysis = analyseContract(readFileSync(file, 'utf8'), file);
    return { errors: analysis.errors as unknown as Told[], advice: (await findAdvice(analysis)) as unknown as Told[] };
  } catch (error) {
    return { errors: [{ pointer: '', message: (error as Error).message }], advice: [] };
  }
}

/** Whether it is about the member at a pointer, or about its object. Nothing uses the components of these fixtures. */
function isAbout(told: Told, pointer: string): boolean {
  const place = told.pointer.replace(/^.*#\/?/, '/').replace(/\/$/, '');
  const parent = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
  const isThere = place === pointer || place === parent || place.startsWith(`${pointer}/`);
  return isThere && !told.message.endsWith('(no-unused-components)');
}

interface Pair {
  readonly name: string;
  readonly base: object;
  readonly revision: object;
  readonly expected: 'breaking' | 'fine' | 'arguable';
}

type Contract = Parameters<typeof findBreakingChanges>[0];

/** By pairs of contracts, of which it is known whether the second breaks clients. */
// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgeBreakingChanges(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  for (const file of ['own', 'oasdiff']) {
    const pairs = readJsonFile(data, 'breaking-changes', `${file}.json`) as readonly Pair[];
    for (const { name, base, revision, expected } of pairs.filter((pair) => pair.expected !== 'arguable')) {
      const changes = findBreakingChanges(read(base), read(revision));
      const isRight = changes.length > 0 === (expected === 'breaking');
      const found = changes.map(({ cause }) => cause).join('; ') || 'breaks nothing';
      verdicts.add(`${file}, ${name}`, isRight ? undefined : found);
    }
  }
  return verdicts;
}

function read(document: object): Contract {
  // JSON is YAML, too.
  const contract = readOperations(parseYaml(JSON.stringify(document), 'a.yaml') as Document);
  const [error] = contract.errors;
  if (error) throw error;
  return contract;
}

/** By a contract that uses all of OpenAPI 3.2: each of its operations is a test, served and typed. */
export async function judgeOpenApi32(data: string): Promise<Verdicts> {
  const file = join(data, 'openapi-3.2/sample.yaml');
  const analysis = analyseServed(readFileSync(file, 'utf8'), file);
  const { 'api.d.ts': types = '' } = await generateFiles(analysis, false);
  const verdicts = new Verdicts();
  for (const { method, path, id } of analysis.operations)
    verdicts.add(`${method} ${path}`, types.includes(` ${id}: {`) ? undefined : 'not typed');
  for (const name of analysis.unserved ?? ['each operation']) verdicts.add(name, 'not served');
  return verdicts;
}
