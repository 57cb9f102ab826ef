// The results for CI.
import type { CaseResult } from '../oracle/checks';
import junit from 'junit-report-builder';
import { titleOf } from '../generators/case';
import { toSafeLine } from './failure';

/**
 * Writes the results as JUnit XML (a format that CI servers read), with a suite for each operation and class of cases.
 *
 * @example writeFileSync('junit.xml', toJUnit(results, (result) => describeFailure(result, target, {})))
 */
export function toJUnit(results: readonly CaseResult[], describe: (result: CaseResult) => string): string {
  const builder = junit.newBuilder();
  // Names from a contract or a server may have characters that XML forbids.
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
    }
  }
  return builder.build();
}
