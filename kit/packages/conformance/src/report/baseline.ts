// A baseline is a file of known findings, so that only new findings fail a run.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Unproven } from '../exchange/proof';
import type { CaseResult } from '../oracle/checks';
import { isJsonList } from '../wire/json';
import { writeReport } from './write-report';

const HEADER =
  '# Known findings of the conformance suite, which do not fail a run: OPERATION CHECK CLASS POINTER. Written by --accept.\n';

/** The results of a run, without the findings and unproven cases that the baseline lists. */
export interface BaselineResult {
  readonly results: readonly CaseResult[];
  readonly unproven: readonly Unproven[];
  /** Sentences about ignored findings and obsolete entries, for the report. */
  readonly notes: readonly string[];
}

/** Removes findings and unproven cases that the file lists. `isAccepting` first writes those of this run to it. */
export function applyBaseline(
  results: readonly CaseResult[],
  unproven: readonly Unproven[],
  { file, isAccepting }: { readonly file: string; readonly isAccepting: boolean },
): BaselineResult {
  const currentKeys = new Set([...results.flatMap((result) => keysOf(result)), ...unproven.map(keyOfUnproven)]);
  if (isAccepting) writeReport(file, HEADER + stringify([...currentKeys].toSorted(), { lineWidth: 0 }));
  const baseline = loadBaseline(file);
  const remainingResults = results.map((result) => {
    const keys = keysOf(result);
    return { ...result, findings: result.findings.filter((_finding, index) => !baseline.has(keys[index] ?? '')) };
  });
  const remainingUnproven = unproven.filter((entry) => !baseline.has(keyOfUnproven(entry)));
  const countFindings = (list: readonly CaseResult[]): number =>
    list.reduce((sum, { findings }) => sum + findings.length, 0);
  const obsoleteKeys = [...baseline].filter((key) => !currentKeys.has(key));
  return {
    results: remainingResults,
    // Point to the copies in `remainingResults`.
    unproven: remainingUnproven.map(({ result, reason }) => ({
      result: remainingResults[results.indexOf(result)] ?? result,
      reason,
    })),
    notes: [
      `${file} lists ${String(countFindings(results) - countFindings(remainingResults))} of the findings: they do not fail this run.`,
      ...(remainingUnproven.length < unproven.length
        ? [`${file} lists ${String(unproven.length - remainingUnproven.length)} of the unproven cases.`]
        : []),
      ...(obsoleteKeys.length > 0
        ? [
            `${file} lists ${String(obsoleteKeys.length)} that no longer occur, so remove them: ${String(obsoleteKeys[0])}${obsoleteKeys.length > 1 ? ', and others' : ''}`,
          ]
        : []),
    ],
  };
}

/** @throws Error if the file is missing or is not a list of strings */
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

// Keys must be the same in every run. Texts and labels contain ids, times and values, which are not.
function keysOf({ case: { operation, class: name, pointer }, findings }: CaseResult): string[] {
  return findings.map(({ check }) => `${operation} ${check} ${name} ${pointer}`);
}
