// Finds a server that refuses the given credentials.
import { exchange } from '../exchange';
import type { Target } from '../target';
import { countOperations, isPublic, isRefusal, schemesOf, type Answer } from './answer';

/** Describes the first security schemes whose credentials every operation with them refuses; undefined without any. */
export async function findRefusal(
  target: Target,
  answers: readonly Answer[],
  variables: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const withCredentials = answers.filter(({ operation }) => !isPublic(operation));
  for (const [schemes, group] of Map.groupBy(withCredentials, ({ operation }) => schemesOf(operation))) {
    const [first] = group;
    if (!first || !group.every(({ reply }) => isRefusal(reply))) continue;
    const statuses = [...new Set(group.map(({ reply }) => reply.status))];
    // 403 may also mean that valid credentials lack a permission. They are invalid if wrong ones get 403, too.
    if (!statuses.includes(401) && (await statusWithWrongSecrets(target, first)) !== 403) continue;
    // Valid requests use the first security alternative.
    const [usedSchemes = []] = first.operation.alternatives;
    const usedVariables = usedSchemes.map(({ name }) => variables.get(name) ?? name);
    return `The credentials of ${schemes} are refused: ${statuses.join(' or ')} to right requests of ${countOperations(group)}. Are those in ${[...new Set(usedVariables)].join(' and ')} right?`;
  }
  return undefined;
}

// Repeats a valid request with wrong credentials, and returns the status; undefined without a well-formed reply.
async function statusWithWrongSecrets(target: Target, { operation, validCase }: Answer): Promise<number | undefined> {
  // Each security alternative lists schemes to satisfy together; valid requests use the first alternative.
  const [usedSchemes = []] = operation.alternatives;
  const wrongSecrets = usedSchemes.map(
    ({ name, kind }) => [name, kind === 'basic' ? 'nobody:nothing' : 'nobody'] as const,
  );
  const [answer] = await exchange({ ...target, secrets: Object.fromEntries(wrongSecrets) }, validCase);
  return answer && 'reply' in answer ? answer.reply.status : undefined;
}
