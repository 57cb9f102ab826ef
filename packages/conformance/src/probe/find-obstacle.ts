// Finds why a server cannot be judged at all, before any case is sent.
import type { Operation } from '../contract/model';
import { isLimited } from '../patience';
import { exchange } from '../exchange';
import type { Target } from '../target';
import type { Kind } from '../run-suite';
import type { Suite } from '../suite';
import { hasPathParameter, isPublic, isRefusal, schemesOf, type Answer, type Question } from './answer';
import { findRefusal } from './find-refusal';
import { findSilence } from './find-silence';
import { findWrongPath } from './find-wrong-path';

// More replies would show the same.
const MAX_ANSWERS = 20;

/**
 * Describes the obstacle in one line, for people: the server cannot be reached, refuses the credentials, limits the
 * rate, or the path of the URL is wrong. Undefined if none is sure. Sends as few requests as needed.
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
  for (const question of questions) {
    if (answers.length === MAX_ANSWERS || isDecided(answers, question.operation)) continue;
    const [answer] = await exchange(target, question.validCase);
    // Without a well-formed reply, start the run: its cases report that better.
    if (!answer || !('reply' in answer)) return undefined;
    const { reply } = answer;
    if (isLimited(target, [reply])) return `${target.base.href} answers 429 to right requests, again and again`;
    answers.push({ ...question, reply });
  }
  return (await findRefusal(target, answers, variables)) ?? (await findWrongPath(suite, target, answers));
}

// Operations that read come before those that write, and those without path parameters before those with them.
function chooseQuestions({ model, cases }: Suite, isWanted: (kind: Kind) => boolean): Question[] {
  const rank = (operation: Operation): number => (isReading(operation) ? 0 : 2) + (hasPathParameter(operation) ? 1 : 0);
  return model.operations
    .filter((operation) => isReading(operation) || isWanted({ operation, class: 'positive', expect: 'accepted' }))
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((operation) => {
      const validCase = cases.find((testCase) => testCase.operation === operation.id && testCase.class === 'positive');
      return validCase ? [{ operation, validCase }] : [];
    });
}

function isReading({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD';
}

// Whether earlier replies already show that the path of the URL is right (one was not 404), and that the credentials
// are (one with the same security schemes was not refused).
function isDecided(answers: readonly Answer[], operation: Operation): boolean {
  const isPathRight = answers.some(({ reply }) => reply.status !== 404);
  const sameSchemes = answers.filter((answer) => schemesOf(answer.operation) === schemesOf(operation));
  return isPathRight && (isPublic(operation) || sameSchemes.some(({ reply }) => !isRefusal(reply)));
}
