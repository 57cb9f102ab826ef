import { sendCase } from './exchange';
import type { Target } from './run-case';
import type { Suite } from './suite';

/**
 * Finds the operations without a handler: the reply to a valid request says so, as a generated handler does.
 *
 * @example const target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
 */
export async function findUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  target: Target,
): Promise<ReadonlySet<string>> {
  const unbuilt = new Set<string>();
  for (const { id } of model.operations) {
    const positive = cases.find((testCase) => testCase.operation === id && testCase.class === 'positive');
    if (positive && (await sendCase(target, positive)).includes(`${id} is not built yet`)) unbuilt.add(id);
  }
  return unbuilt;
}

/**
 * Describes them in one line; empty when all are built.
 *
 * @example console.log(describeUnbuilt(suite, new Set(['listBooks'])))
 */
export function describeUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  unbuilt: ReadonlySet<string>,
): string {
  if (unbuilt.size === 0) return '';
  const waiting = cases.filter((testCase) => unbuilt.has(testCase.operation) && testCase.expect === 'accepted');
  const counts = `${String(unbuilt.size)} of ${String(model.operations.length)} operations are not built yet`;
  return `${counts}, so ${String(waiting.length)} right requests to them have to be answered 501 or 503: ${[...unbuilt].join(', ')}`;
}
