// A baseline is a file of known findings, so that only new findings fail a run.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { NEEDS_DESTRUCTIVE, type Unproven } from '../exchange/proof';
import { CHECKS, type CaseResult, type Check } from '../oracle/checks';
import { includes, type Level } from '../contract/standards';
import { isJsonList } from '../wire/json';
import { writeReport } from './write-report';

const HEADER =
  '# Known findings of the conformance suite, which do not fail a run: OPERATION CHECK CLASS POINTER. Written by --accept.\n';

/** The results of a run, without the findings and unproven cases that the baseline lists. */
export interface BaselineResult {
  /** In each result, `known` lists the baseline entries of what was removed. */
  readonly results: readonly CaseResult[];
  readonly unproven: readonly Unproven[];
  /** Sentences about ignored findings and obsolete entries, for the report. */
  readonly notes: readonly string[];
}

type BaselineOptions = Readonly<{ file: string; isAccepting: boolean; isWhole: boolean; level: Level }>;

/**
 * Removes findings and unproven cases that the file lists. If `isAccepting`, those of this run are first written to
 * the file, which keeps its earlier entries unless all cases were sent (`isWhole`).
 */
export function applyBaseline(
  results: readonly CaseResult[],
  unproven: readonly Unproven[],
  { file, isAccepting, isWhole, level }: BaselineOptions,
): BaselineResult {
  const unprovenResults = new Set(unproven.map(({ result }) => result));
  const keysOf = (result: CaseResult): string[] => [
    ...result.findings.map(({ check }) => keyOf(result, check)),
    ...(unprovenResults.has(result) ? [keyOf(result, 'unproven')] : []),
  ];
  const currentKeys = new Set(results.flatMap(keysOf));
  const earlierKeys = isAccepting && !isWhole && existsSync(file) ? loadBaseline(file) : [];
  const acceptedKeys = [...new Set([...earlierKeys, ...currentKeys])].toSorted();
  if (isAccepting) writeReport(file, HEADER + stringify(acceptedKeys, { lineWidth: 0 }));
  const baseline = loadBaseline(file);
  const remainingResults = results.map((result): CaseResult => {
    const findings = result.findings.filter(({ check }) => !baseline.has(keyOf(result, check)));
    return { ...result, findings, known: keysOf(result).filter((key) => baseline.has(key)) };
  });
  const remainingUnproven = unproven.filter(({ result }) => !baseline.has(keyOf(result, 'unproven')));
  // A failure, or a server that does not do what the cases need, may hide other findings.
  const isSound =
    isWhole &&
    remainingResults.every(({ findings }) => findings.length === 0) &&
    remainingUnproven.every(({ reason }) => reason === NEEDS_DESTRUCTIVE);
  const checks = Object.entries<Check>(CHECKS).flatMap(([name, check]) => (includes(level, check.level) ? [name] : []));
  const judgedKeys = new Set(results.flatMap((result) => [...checks, 'unproven'].map((check) => keyOf(result, check))));
  const obsoleteKeys = [...baseline].filter((key) => isSound && judgedKeys.has(key) && !currentKeys.has(key));
  const knownCount = remainingResults.reduce((sum, { known = [] }) => sum + known.length, 0);
  return {
    results: remainingResults,
    // Point to the copies in `remainingResults`.
    unproven: remainingUnproven.map(({ result, reason }) => ({
      result: remainingResults[results.indexOf(result)] ?? result,
      reason,
    })),
    notes: [
      `${file} lists ${String(knownCount)} of the findings and unproven cases: they do not fail this run.`,
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

// Keys must be the same in every run. Texts and labels are not, because they contain ids, times and values.
function keyOf({ case: { operation, class: name, pointer } }: CaseResult, check: string): string {
  return `${operation} ${check} ${name} ${pointer}`;
}
