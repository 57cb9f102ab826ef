// Finds why a server cannot be judged at all, before any case is sent.
import type { Operation } from '../contract/model';
import { isLimited } from '../patience';
import { exchange } from '../exchange';
import type { Target } from '../run-case';
import type { Kind } from '../run-suite';
import type { Suite } from '../suite';
import { hasPathParameter, isPublic, isRefusal, schemesOf, type Answer, type Question } from './answer';
import { findRefusal } from './find-refusal';
import { findSilence } from './find-silence';
import { findWrongPath } from './find-wrong-path';

// More requests would have the same replies.
const MAX_ANSWERS = 20;

/**
 * Finds in one line why a server cannot be judged: it cannot be reached, it refuses the credentials, or the path of the
 * URL is wrong. Undefined when it can be judged, or when that is unsure. Sends as few valid requests as needed, reading
 * ones first.
 *
 * @param variables the environment variable with the secret of each security scheme
 */
export async function findObstacle(
  suite: Suite,
  target: Target,
  variables: ReadonlyMap<string, string>,
  isWanted: (kind: Kind) => boolean,
): Promise<string | undefined> {
  const questions = chooseQuestions(suite, isWanted);
  const silence = await findSilence(target, questions[0]);
  if (silence !== undefined) return silence;
  const answers: Answer[] = [];
  for (const { operation, right } of questions) {
    if (answers.length === MAX_ANSWERS || isKnown(answers, operation)) continue;
    const [answer] = await exchange(target, right);
    // Without a reply, let the cases report that.
    if (!answer || !('reply' in answer)) return undefined;
    const { reply } = answer;
    if (isLimited(target, [reply])) return `${target.base.href} answers 429 to right requests, again and again`;
    answers.push({ operation, right, reply });
  }
  return (await findRefusal(target, answers, variables)) ?? (await findWrongPath(suite, target, answers));
}

/** A valid request for each wanted operation: reading before writing, without path parameters before with them. */
function chooseQuestions({ model, cases }: Suite, isWanted: (kind: Kind) => boolean): Question[] {
  const rank = (operation: Operation): number => (isReading(operation) ? 0 : 2) + (hasPathParameter(operation) ? 1 : 0);
  return model.operations
    .filter((operation) => isReading(operation) || isWanted({ operation, class: 'positive', expect: 'accepted' }))
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((operation) => {
      const right = cases.find((testCase) => testCase.operation === operation.id && testCase.class === 'positive');
      return right ? [{ operation, right }] : [];
    });
}

function isReading({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether earlier replies already show that the path and the credentials of an operation are right. */
function isKnown(answers: readonly Answer[], operation: Operation): boolean {
  const isFound = answers.some(({ reply }) => reply.status !== 404);
  const alike = answers.filter((answer) => schemesOf(answer.operation) === schemesOf(operation));
  return isFound && (isPublic(operation) || alike.some(({ reply }) => !isRefusal(reply)));
}
