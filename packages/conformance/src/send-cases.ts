// Sends the cases of a run of the command.
import type { Options } from './options';
import { isLimited } from './patience';
import { showProgress } from './report/progress';
import type { CaseResult } from './run-case';
import type { Target } from './target';
import { chooseCases, runSuite } from './run-suite';
import type { Suite } from './suite';

// After this many cases without a reply, the server is down, and each further case would take the whole --timeout.
const MAX_UNANSWERED = 10;

/** Stops early when the server does not answer any more: then `stop` is a sentence that says so. */
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
    const latest = results.slice(-MAX_UNANSWERED);
    if (latest.length === MAX_UNANSWERED && latest.every((each) => hasNoAnswer(target, each)))
      return { results, stop: `Stopped: ${String(MAX_UNANSWERED)} cases in a row had no reply, or none but 429.` };
  }
  return { results };
}

// Whether a case had no reply, or the server was down after it, or it limited the rate (429) to the end.
function hasNoAnswer(target: Target, { replies, findings }: CaseResult): boolean {
  return isLimited(target, replies) || findings.some(({ check }) => check === 'no reply' || check === 'alive');
}
