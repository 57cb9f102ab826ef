// Ignores known findings that a team has listed in a file, so that only new ones fail a run.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Unproven } from '../exchange/proof';
import type { CaseResult } from '../oracle/checks';
import { isJsonList } from '../wire/json';
import { writeReport } from './write-report';

const HEADER =
  '# Known findings of the conformance suite, which do not fail a run: OPERATION CHECK CLASS POINTER. Written by --accept.\n';

/** The results of a run without the findings and the unproven cases in the baseline. */
export interface BaselineResult {
  readonly results: readonly CaseResult[];
  readonly unproven: readonly Unproven[];
  /** Sentences about ignored findings and obsolete entries. */
  readonly notes: readonly string[];
}

/** Removes the findings and unproven cases that a file lists. With `isAccepting`, writes those of this run to it first. */
export function applyBaseline(
  results: readonly CaseResult[],
  unproven: readonly Unproven[],
  { file, isAccepting }: { readonly file: string; readonly isAccepting: boolean },
): BaselineResult {
  const current = new Set([...results.flatMap((result) => keysOf(result)), ...unproven.map(keyOfUnproven)]);
  if (isAccepting) writeReport(file, HEADER + stringify([...current].toSorted(), { lineWidth: 0 }));
  const baseline = loadBaseline(file);
  const kept = results.map((result) => {
    const keys = keysOf(result);
    return { ...result, findings: result.findings.filter((_finding, index) => !baseline.has(keys[index] ?? '')) };
  });
  const keptUnproven = unproven.filter((entry) => !baseline.has(keyOfUnproven(entry)));
  const countFindings = (of: readonly CaseResult[]): number =>
    of.reduce((sum, { findings }) => sum + findings.length, 0);
  const obsolete = [...baseline].filter((key) => !current.has(key));
  return {
    results: kept,
    // Refers to the copies in `kept` instead of the original results.
    unproven: keptUnproven.map(({ result, reason }) => ({ result: kept[results.indexOf(result)] ?? result, reason })),
    notes: [
      `${file} lists ${String(countFindings(results) - countFindings(kept))} of the findings: they do not fail this run.`,
      ...(keptUnproven.length < unproven.length
        ? [`${file} lists ${String(unproven.length - keptUnproven.length)} of the unproven cases.`]
        : []),
      ...(obsolete.length > 0
        ? [
            `${file} lists ${String(obsolete.length)} that no longer occur, so remove them: ${String(obsolete[0])}${obsolete.length > 1 ? ', and others' : ''}`,
          ]
        : []),
    ],
  };
}

/** @throws Error when the file is missing, or not a list of strings */
export function loadBaseline(file: string): ReadonlySet<string> {
  if (!existsSync(file)) throw new Error(`the baseline ${file} does not exist: add --accept to write it`);
  const list = parse(readFileSync(file, 'utf8')) as unknown;
  if (!isJsonList(list) || !list.every((key) => typeof key === 'string'))
    throw new Error(`${file} must be a list of strings`);
  return new Set(list);
}

function keyOfUnproven({ result: { case: testCase } }: Unproven): string {
  return `${testCase.operation} unproven ${testCase.class} ${testCase.pointer}`;
}

// Leaves out the texts of findings and the labels of cases, whose ids, times and values differ from run to run.
function keysOf({ case: { operation, class: name, pointer }, findings }: CaseResult): string[] {
  return findings.map(({ check }) => `${operation} ${check} ${name} ${pointer}`);
}
