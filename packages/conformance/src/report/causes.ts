import { titleOf } from '../case';
import { CHECKS, type CheckName } from '../oracle/checks';
import type { CaseResult } from '../run-case';

/** What several cases found alike. */
export interface Cause {
  readonly check: CheckName;
  readonly text: string;
  /** What found it, the first one first. */
  readonly results: readonly CaseResult[];
}

// Beyond it, what differs from case to case is not told in lines of their own.
const MAX_TEXTS = 4;

const ORDER = Object.keys(CHECKS);

/**
 * Findings by their cause, the most serious first: in the order of the checks, then by how many cases found it.
 *
 * @example console.log(groupByCause(results).map(describeCause).join('\n'))
 */
export function groupByCause(results: readonly CaseResult[]): Cause[] {
  const checks = new Map<CheckName, Map<string, CaseResult[]>>();
  for (const result of results) {
    for (const { check, text } of result.findings) {
      const texts = checks.get(check) ?? new Map<string, CaseResult[]>();
      checks.set(check, texts);
      texts.set(text, [...(texts.get(text) ?? []), result]);
    }
  }
  return [...checks]
    .toSorted(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))
    .flatMap(([check, texts]) => toCauses(check, texts));
}

function toCauses(check: CheckName, texts: ReadonlyMap<string, readonly CaseResult[]>): Cause[] {
  if (texts.size > MAX_TEXTS) {
    const results = [...new Set([...texts.values()].flat())];
    return [{ check, text: `not so: ${CHECKS[check].about}; ${String(texts.size)} different findings`, results }];
  }
  return [...texts]
    .map(([text, results]) => ({ check, text, results }))
    .toSorted((one, other) => other.results.length - one.results.length);
}

/**
 * One line: how many cases, what, who says so, and where.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause({ check, text, results }: Cause): string {
  const [first] = results;
  const more = results.length > 1 ? `, and ${String(results.length - 1)} more` : '';
  return `${String(results.length).padStart(5)} x ${text} [${check}; ${CHECKS[check].source}] at ${first ? titleOf(first.case) : ''}${more}`;
}
