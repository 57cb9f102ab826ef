import type { CaseResult } from '../oracle/checks';
import junit from 'junit-report-builder';
import { titleOf } from '../generators/case';
import type { Unproven } from '../exchange/proof';
import { toSafeLine } from './failure';

/**
 * Formats the results as JUnit XML, with a suite for each class of each operation. Marks as skipped what is unproven,
 * known or a note.
 *
 * @example writeFileSync('junit.xml', toJUnit(results, (result) => describeFailure(result, target, {})))
 */
export function toJUnit(
  results: readonly CaseResult[],
  describe: (result: CaseResult) => string,
  unproven: readonly Unproven[] = [],
  notes: readonly string[] = [],
): string {
  const reasons = new Map(unproven.map(({ result, reason }) => [result, `unproven: ${reason}`]));
  const builder = junit.newBuilder();
  // Names from a contract or a server can contain characters that XML does not allow.
  const escapeLine = (text: string): string => toSafeLine(text, {}, Infinity);
  const groups = Map.groupBy(results, ({ case: testCase }) => escapeLine(`${testCase.operation} ${testCase.class}`));
  for (const [name, group] of groups) {
    const suite = builder.testSuite().name(name);
    for (const result of group) {
      const test = suite
        .testCase()
        .className(name)
        .name(escapeLine(titleOf(result.case)));
      if (result.findings.length > 0) test.failure(describe(result));
      const [known] = result.known ?? [];
      const reason = reasons.get(result) ?? (known === undefined ? undefined : `in the baseline: ${known}`);
      if (reason !== undefined && result.findings.length === 0) test.skipped().standardOutput(escapeLine(reason));
    }
  }
  for (const note of notes) builder.testSuite().name('notes').testCase().name(escapeLine(note)).skipped();
  return builder.build();
}
