import type { Untried } from '../contract/untried';
import { isLimited } from '../patience';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import { chooseCases, type RunOptions } from '../run-suite';
import type { Suite } from '../suite';

/** Describes which cases were not sent or not judged, in a line for each reason. */
export function describeLeftOut(
  suite: Suite,
  target: Target,
  options: Pick<RunOptions, 'isWanted' | 'sample'>,
  results: readonly CaseResult[],
): string[] {
  const { sample, isWanted } = options;
  const wanted = chooseCases(suite, target, { isWanted }).length;
  const chosen = chooseCases(suite, target, options).length;
  const limited = results.filter(({ replies }) => isLimited(target, replies)).length;
  const reasons: readonly (readonly [count: number, why: string])[] = [
    [
      suite.cases.length - wanted,
      'were not tried: of other classes, of what would change or delete what is there, and of failures that nobody outside can bring about',
    ],
    [
      wanted - chosen,
      `were left out by --sample ${String(sample?.count)}; each class and each kind of rule has one at least`,
    ],
    [limited, 'were answered 429 to the end, and say nothing; fewer --workers may help'],
  ];
  return reasons.filter(([count]) => count > 0).map(([count, why]) => `${String(count)} cases ${why}.`);
}

/** Describes what no cases were made for, in a line for each reason. */
export function describeUntried(untried: readonly Untried[]): string[] {
  return untried.map(({ reason, places: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${String(others.length)} more` : '';
    return `Not tried: ${reason}, at ${String(first)}${more}`;
  });
}
