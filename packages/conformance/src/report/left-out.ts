import type { Untried } from '../contract/untried';
import { isLimited } from '../patience';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import { chooseCases, type RunOptions } from '../run-suite';
import type { Suite } from '../suite';

/** Describes how many cases of a run were not sent or not judged, in a line for each reason. */
export function describeLeftOut(
  suite: Suite,
  target: Target,
  options: Pick<RunOptions, 'isWanted' | 'sample'>,
  results: readonly CaseResult[],
): string[] {
  const { sample, isWanted } = options;
  const wanted = chooseCases(suite, target, { isWanted }).length;
  const sampled = chooseCases(suite, target, options).length;
  // With 429 the server limits the rate: its reply does not depend on the case.
  const rateLimited = results.filter(({ replies }) => isLimited(target, replies)).length;
  const reasons: readonly (readonly [count: number, why: string])[] = [
    [
      suite.cases.length - wanted,
      'were not tried: of other classes, of what would change or delete what is there, and of failures that nobody outside can bring about',
    ],
    [
      wanted - sampled,
      `were left out by --sample ${String(sample?.count)}; each class and each kind of rule has one at least`,
    ],
    [rateLimited, 'were answered 429 to the end, and say nothing; fewer --workers may help'],
  ];
  return reasons.filter(([count]) => count > 0).map(([count, why]) => `${String(count)} cases ${why}.`);
}

/** Such as `Not tried: the format iban, at #/components/schemas/Account and 2 more`. */
export function describeUntried(untried: readonly Untried[]): string[] {
  return untried.map(({ reason, places: [firstPointer, ...otherPointers] }) => {
    const more = otherPointers.length > 0 ? ` and ${String(otherPointers.length)} more` : '';
    return `Not tried: ${reason}, at ${String(firstPointer)}${more}`;
  });
}
