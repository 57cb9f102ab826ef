// Groups findings by cause.
import { titleOf } from '../case';
import { LEVELS } from '../level';
import { CHECKS, type CheckName } from '../oracle/checks';
import type { CaseResult } from '../run-case';
import type { Secrets } from '../wire/secret';
import { toSafeLine } from './shown';

/** A finding that several cases share. */
export interface Cause {
  readonly check: CheckName;
  readonly text: string;
  /** The JSON pointer of the declared reply; undefined when the contract is not the source of the check. */
  readonly pointer: string | undefined;
  /** The results with this finding, in the order of the run. */
  readonly results: readonly CaseResult[];
}

// With more texts than this, a check gets one line.
const MAX_TEXTS = 4;

// Rules of standards come before house rules.
const ORDER = Object.entries(CHECKS)
  .toSorted(([, one], [, other]) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))
  .map(([name]) => name);

/**
 * Groups findings by cause, the most serious first: by level and check, then by the number of cases.
 *
 * @example console.log(groupByCause(results).map((cause) => describeCause(cause)).join('\n'))
 */
export function groupByCause(results: readonly CaseResult[]): Cause[] {
  const found = results.flatMap((result) => result.findings.map((finding) => ({ ...finding, result })));
  return [...Map.groupBy(found, ({ check }) => check)]
    .toSorted(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))
    .flatMap(([check, own]) => {
      const texts = Map.groupBy(own, ({ text }) => text);
      const groups: readonly (readonly [string, typeof own])[] =
        texts.size > MAX_TEXTS
          ? [[`not so: ${CHECKS[check].about}; ${String(texts.size)} different findings`, own]]
          : [...texts].toSorted(([, one], [, other]) => other.length - one.length);
      return groups.map(([text, each]) => ({
        check,
        text,
        pointer: each[0]?.pointer,
        results: [...new Set(each.map(({ result }) => result))],
      }));
    });
}

/** Chooses a different case for each of the first causes, with the finding of that cause only. */
export function chooseExamples(causes: readonly Cause[], most: number): CaseResult[] {
  const shown = new Map<CaseResult['case'], CaseResult>();
  for (const { check, results } of causes) {
    const result = results.find((each) => !shown.has(each.case));
    if (result && shown.size < most)
      shown.set(result.case, {
        ...result,
        findings: result.findings.filter((finding) => finding.check === check).slice(0, 1),
      });
  }
  return [...shown.values()];
}

/**
 * Describes a cause in one line: the number of cases, the check and its source, the finding, and the first case.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause(cause: Cause): string {
  return toCells(cause, {}).join(' ');
}

/** The cells of that line, in the same order. */
export function toCells({ check, text, pointer, results }: Cause, secrets: Secrets): [string, string, string, string] {
  const [first] = results;
  return [
    `${String(results.length).padStart(5)} x`,
    `[${check}; ${CHECKS[check].source}]`,
    toSafeLine(text, secrets, 120),
    toSafeLine(
      [`at ${first ? titleOf(first.case) : ''}`, ...(pointer === undefined ? [] : [pointer])].join(', by '),
      secrets,
    ),
  ];
}
