// Finds an address at which no HTTP server answers.
import type { Case } from '../case';
import { sendCase } from '../exchange';
import type { Target } from '../target';
import { UNKNOWN_PATH_REQUEST, type Question } from './answer';

/** Why no HTTP server answers; undefined when one replies to an unknown path, or to the request of the question. */
export async function findSilence(target: Target, question: Question | undefined): Promise<string | undefined> {
  const requests = [{ request: UNKNOWN_PATH_REQUEST }, ...(question ? [question.validCase] : [])];
  const problems = await Promise.all(requests.map((sent) => findProblem(target, sent)));
  const isSilent = problems.every((problem) => problem !== undefined);
  return isSilent ? `No HTTP server answers at ${target.base.href}: ${String(problems[0])}` : undefined;
}

async function findProblem(target: Target, sent: Pick<Case, 'request'>): Promise<string | undefined> {
  try {
    const bytes = await sendCase(target, sent);
    const start = bytes.subarray(0, 40).toString('latin1');
    if (start.startsWith('HTTP/')) return undefined;
    // The first bytes of a TLS alert (RFC 8446 section 5.1), which a server of TLS sends after plain HTTP.
    if (start.startsWith('\x15\x03')) return 'it speaks TLS, so its URL begins with https';
    return start === '' ? 'it closes the connection without a reply' : `it says ${JSON.stringify(start)}`;
  } catch (error) {
    return (error as Error).message.trim();
  }
}
