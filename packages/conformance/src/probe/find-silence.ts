import type { Case } from '../case';
import { sendCase } from '../exchange';
import type { Target } from '../run-case';
import { UNKNOWN, type Question } from './answer';

/** Describes why no HTTP server answers; undefined when one replies to an unknown path or a valid request. */
export async function findSilence(target: Target, question: Question | undefined): Promise<string | undefined> {
  const requests = [{ request: UNKNOWN }, ...(question ? [question.right] : [])];
  const problems = await Promise.all(requests.map((one) => findProblem(target, one)));
  const isSilent = problems.every((problem) => problem !== undefined);
  return isSilent ? `No HTTP server answers at ${target.base.href}: ${String(problems[0])}` : undefined;
}

async function findProblem(target: Target, one: Pick<Case, 'request'>): Promise<string | undefined> {
  try {
    const bytes = await sendCase(target, one);
    const start = bytes.subarray(0, 40).toString('latin1');
    if (start.startsWith('HTTP/')) return undefined;
    // A TLS alert (RFC 8446 section 5.1).
    if (start.startsWith('\x15\x03')) return 'it speaks TLS, so its URL begins with https';
    return start === '' ? 'it closes the connection without a reply' : `it says ${JSON.stringify(start)}`;
  } catch (error) {
    return (error as Error).message.trim();
  }
}
