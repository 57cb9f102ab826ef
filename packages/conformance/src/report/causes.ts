// Groups findings by cause.
import { titleOf } from '../generators/case';
import { LEVELS } from '../contract/standards';
import { type CaseResult, CHECKS, type CheckName } from '../oracle/checks';
import type { Secrets } from '../wire/secret';
import type { Target } from '../exchange/exchange';
import { toSafeText } from '../wire/safe-text';
import { describeFailure, toSafeLine } from './failure';

/** One reason why cases failed: findings of the same check with the same text. */
export interface Cause {
  readonly check: CheckName;
  readonly text: string;
  /** The JSON pointer of the declared reply; undefined when the contract is not the source of the check. */
  readonly pointer: string | undefined;
  /** In the order of the run. */
  readonly results: readonly CaseResult[];
}

// A check with more different texts than this becomes one cause, so that it does not hide the other checks.
const MAX_TEXTS_PER_CHECK = 4;

// Rules of standards come before conventions.
const CHECKS_BY_SERIOUSNESS = Object.entries(CHECKS)
  .toSorted(([, one], [, other]) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))
  .map(([name]) => name);

/**
 * Groups the findings of a check with the same text. The most serious checks come first, then the most frequent texts.
 *
 * @example console.log(groupByCause(results).map((cause) => describeCause(cause)).join('\n'))
 */
export function groupByCause(results: readonly CaseResult[]): Cause[] {
  const found = results.flatMap((result) => result.findings.map((finding) => ({ ...finding, result })));
  return [...Map.groupBy(found, ({ check }) => check)]
    .toSorted(([one], [other]) => CHECKS_BY_SERIOUSNESS.indexOf(one) - CHECKS_BY_SERIOUSNESS.indexOf(other))
    .flatMap(([check, ofCheck]) => {
      const byText = Map.groupBy(ofCheck, ({ text }) => text);
      const groups: readonly (readonly [text: string, findings: typeof ofCheck])[] =
        byText.size > MAX_TEXTS_PER_CHECK
          ? [[`expected: ${CHECKS[check].about}; broken in ${String(byText.size)} different ways`, ofCheck]]
          : [...byText].toSorted(([, one], [, other]) => other.length - one.length);
      return groups.map(([text, findings]) => ({
        check,
        text,
        pointer: findings[0]?.pointer,
        results: [...new Set(findings.map(({ result }) => result))],
      }));
    });
}

/** Chooses a failed case for each cause, none twice; each has only the finding that it is an example of. */
export function chooseExamples(causes: readonly Cause[], maxCount: number): CaseResult[] {
  const chosen = new Map<CaseResult['case'], CaseResult>();
  for (const { check, results } of causes) {
    const result = results.find((each) => !chosen.has(each.case));
    if (result && chosen.size < maxCount)
      chosen.set(result.case, {
        ...result,
        findings: result.findings.filter((finding) => finding.check === check).slice(0, 1),
      });
  }
  return [...chosen.values()];
}

/**
 * Describes a cause in one line: the number of cases, the check and its source, the finding, and the first case.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause(cause: Cause): string {
  return toCells(cause, {}).join(' ');
}

/** Such as `3 x`, `[schema; OpenAPI Media Type Object]`, `/id is not of type string`, `in <first case>, declared at <JSON pointer>`. */
export function toCells(
  { check, text, pointer, results }: Cause,
  secrets: Secrets,
): [count: string, check: string, text: string, location: string] {
  const [firstResult] = results;
  const caseTitle = `in ${firstResult ? titleOf(firstResult.case) : ''}`;
  return [
    `${String(results.length).padStart(5)} x`,
    `[${check}; ${CHECKS[check].source}]`,
    toSafeLine(text, secrets, 120),
    toSafeLine(pointer === undefined ? caseTitle : `${caseTitle}, declared at ${pointer}`, secrets),
  ];
}

/**
 * Describes the findings of one operation, for a test of its own: one line for each cause, with the number of cases and
 * all operations that have it, and the first case with a curl command. A cause that an earlier operation has too is only
 * named, with that operation.
 *
 * @param results of all operations
 * @param variables the environment variable with the secret of each security scheme
 * @returns undefined when all cases passed
 * @example const text = describeOperation(results, 'listBooks', target, { bearerAuth: 'TOKEN' });
 */
export function describeOperation(
  results: readonly CaseResult[],
  operation: string,
  target: Target,
  variables: Readonly<Record<string, string>> = {},
): string | undefined {
  const causes = groupByCause(results).map((cause) => ({
    cause,
    operations: [...new Set(cause.results.map(({ case: testCase }) => testCase.operation))],
  }));
  const ofOperation = causes.filter(({ operations }) => operations.includes(operation));
  if (ofOperation.length === 0) return undefined;
  const lines = ofOperation.map(({ cause, operations }) => {
    const [count, check, text, location] = toCells(cause, target.secrets);
    if (operations[0] !== operation) return `      same as ${toSafeText(String(operations[0]))}: ${text}`;
    const places =
      operations.length === 1 ? location : `in ${String(operations.length)} operations: ${operations.join(', ')}`;
    return [count, check, text, toSafeText(places)].join(' ');
  });
  const first = ofOperation.filter(({ operations }) => operations[0] === operation).map(({ cause }) => cause);
  const examples = chooseExamples(first, 1).map((example) => describeFailure(example, target, variables));
  return [...lines, ...examples].join('\n');
}
