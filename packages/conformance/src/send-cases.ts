// Sends the cases of a run of the command.
import type { Options } from './options';
import { isLimited } from './patience';
import { showProgress } from './report/progress';
import type { CaseResult, Target } from './run-case';
import { chooseCases, runSuite } from './run-suite';
import type { Suite } from './suite';

// After this many cases without a reply, the server is down, and each further case would take the whole --timeout.
const PATIENCE = 10;

/** Sends all chosen cases; stops early when the server does not answer any more. */
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
