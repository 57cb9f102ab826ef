// Leaves out the findings that a team knows, so that a server with faults can be judged from now on.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { CaseResult } from '../oracle/checks';
import { isJsonList } from '../wire/json';
import { writeReport } from './write-report';

const HEADER =
  '# Findings of the conformance suite that are known: OPERATION CHECK CLASS POINTER. --accept writes them.\n';

/** The results of a run without known findings. */
export interface Judged {
  readonly results: readonly CaseResult[];
  /** Lines about what is known, and what is not found any more. */
  readonly notes: readonly string[];
}

/**
 * Removes the findings that a file lists; with `isAccepting`, writes those of this run to the file first.
 *
 * @throws Error when the file is not a list of texts
 * @example const { results: unknown } = applyBaseline(results, { file: 'known.yaml', isAccepting: false })
 */
export function applyBaseline(
  results: readonly CaseResult[],
  { file, isAccepting }: { readonly file: string; readonly isAccepting: boolean },
): Judged {
  const found = new Set(results.flatMap((result) => keysOf(result)));
  if (isAccepting) writeReport(file, HEADER + stringify([...found].toSorted(), { lineWidth: 0 }));
  const known = loadBaseline(file);
  const kept = results.map((result) => {
    const keys = keysOf(result);
    return { ...result, findings: result.findings.filter((_finding, index) => !known.has(keys[index] ?? '')) };
  });
  const count = (each: readonly CaseResult[]): number => each.reduce((sum, { findings }) => sum + findings.length, 0);
  const gone = [...known].filter((key) => !found.has(key));
  return {
    results: kept,
    notes: [
      `${String(count(results) - count(kept))} findings are known by ${file}.`,
      ...(gone.length > 0 ? [`${String(gone.length)} of ${file} are found no more, such as ${String(gone[0])}`] : []),
    ],
  };
}

/** Loads the known findings. @throws Error when the file is missing, or not a list of texts */
export function loadBaseline(file: string): ReadonlySet<string> {
  if (!existsSync(file)) throw new Error(`${file} of --baseline does not exist; --accept writes it`);
  const list = parse(readFileSync(file, 'utf8')) as unknown;
  if (!isJsonList(list) || !list.every((key) => typeof key === 'string'))
    throw new Error(`${file} is not a list of texts`);
  return new Set(list);
}

// Texts of findings have ids and times, and labels have values: the same fault has the same key in each run.
function keysOf({ case: { operation, class: name, pointer }, findings }: CaseResult): string[] {
  return findings.map(({ check }) => `${operation} ${check} ${name} ${pointer}`);
}
