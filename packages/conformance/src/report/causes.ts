// Groups findings by cause.
import { titleOf } from '../case';
import { LEVELS } from '../level';
import { CHECKS, type CheckName } from '../oracle/checks';
import type { CaseResult } from '../run-case';
import type { Secrets } from '../wire/secret';
import { toSafeLine } from './shown';

/** What several cases found alike. */
export interface Cause {
  readonly check: CheckName;
  readonly text: string;
  /** Of what the contract says of the first reply, where it is the contract that says it. */
  readonly pointer: string | undefined;
  /** What found it, the first one first. */
  readonly results: readonly CaseResult[];
}

// Beyond it, what differs from case to case is not told in lines of their own.
const MAX_TEXTS = 4;

// What a standard says comes before a rule of the house.
const ORDER = Object.entries(CHECKS)
  .toSorted(([, one], [, other]) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))
  .map(([name]) => name);

/**
 * Findings by their cause, the most serious first: in the order of levels and checks, then by how many cases found it.
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

/** For each of the first causes a case that shows it, no case twice, with nothing but what is wrong there. */
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
 * One line: how many cases, what, who says so, and where first.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause(cause: Cause): string {
  return toCells(cause, {}).join(' ');
}

/** The cells of that line: how many, the check and its source, what, and where. */
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
