// Judges `check` by the fixtures of the OpenAPI Initiative: whole contracts, valid ones and ones with a fault each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAdvice } from '../../packages/tools/src/check/check-contract';
import { analyseContract } from '../../packages/tools/src/lint/analyse-contract';
import { readJsonFile, Verdicts } from './judge';

interface FailReason {
  readonly version: string;
  readonly file: string;
  /** Where the fault is, as a JSON pointer. */
  readonly pointer: string;
}

interface Report {
  /** By the JSON pointers of what they are about. */
  readonly errors: readonly Told[];
  readonly advice: readonly Told[];
}

interface Told {
  readonly pointer: string;
  readonly message: string;
}

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

async function check(file: string): Promise<Report> {
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
