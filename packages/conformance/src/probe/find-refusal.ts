// Finds a server that refuses the given credentials.
import { exchange } from '../exchange';
import type { Target } from '../run-case';
import { countOperations, isPublic, isRefusal, schemesOf, type Answer } from './answer';

/** Describes the credentials that every operation refuses; undefined when there are none. */
export async function findRefusal(
  target: Target,
  answers: readonly Answer[],
  variables: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const closed = answers.filter(({ operation }) => !isPublic(operation));
  for (const [key, group] of Map.groupBy(closed, ({ operation }) => schemesOf(operation))) {
    const [first] = group;
    if (!first || !group.every(({ reply }) => isRefusal(reply))) continue;
    const statuses = [...new Set(group.map(({ reply }) => reply.status))];
    // 403 may also mean that valid credentials lack a permission: check that unknown ones get 403, too.
    if (!statuses.includes(401) && (await statusWithWrongSecrets(target, first)) !== 403) continue;
    const names = first.operation.alternatives[0]?.map(({ name }) => variables.get(name) ?? name) ?? [];
    return `The credentials of ${key} are refused: ${statuses.join(' or ')} to right requests of ${countOperations(group)}. Are those in ${[...new Set(names)].join(' and ')} right?`;
  }
  return undefined;
}

async function statusWithWrongSecrets(target: Target, { operation, right }: Answer): Promise<number | undefined> {
  const schemes = operation.alternatives[0] ?? [];
  const wrong = schemes.map(({ name, kind }) => [name, kind === 'basic' ? 'nobody:nothing' : 'nobody'] as const);
  const [answer] = await exchange({ ...target, secrets: Object.fromEntries(wrong) }, right);
  return answer && 'reply' in answer ? answer.reply.status : undefined;
}
