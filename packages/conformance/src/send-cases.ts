// Sends the cases of the command, and prints what was found.
import type { Options } from './options';
import { isLimited } from './patience';
import { showProgress } from './report/progress';
import type { CaseResult, Target } from './run-case';
import { chooseCases, runSuite } from './run-suite';
import type { Suite } from './suite';

// A server that does not answer so often will not, and each case takes as long as --timeout says.
const PATIENCE = 10;

/** Sends all cases that the command asks for, or stops where no more can come of it. */
export async function sendCases(
  suite: Suite,
  target: Target,
  options: Options,
): Promise<{ results: CaseResult[]; stop?: string }> {
  const { isWanted, seed, runs, tag, sample, workers } = options;
  const total = chooseCases(suite, target, options).length;
  console.log(
    `${String(total)} cases and ${String(runs)} random bodies an operation, ${String(workers)} at a time; what they create is marked ${JSON.stringify(tag)}`,
  );
  const results: CaseResult[] = [];
  let failed = 0;
  const random = { seed, runs, isMarked: true };
  for await (const result of runSuite(suite, target, { random, isWanted, sample, workers })) {
    results.push(result);
    if (result.findings.length > 0) failed++;
    showProgress(results.length, total, failed);
    const last = results.slice(-PATIENCE);
    if (last.length === PATIENCE && last.every((each) => hasNoAnswer(target, each)))
      return { results, stop: `Stopped: ${String(PATIENCE)} cases in a row had no reply, or none but 429.` };
  }
  return { results };
}

function hasNoAnswer(target: Target, { replies, findings }: CaseResult): boolean {
  return isLimited(target, replies) || findings.some(({ check }) => check === 'no reply' || check === 'alive');
}
