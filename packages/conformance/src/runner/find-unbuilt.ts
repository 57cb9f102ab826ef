// Finds and describes the operations of a server that have no handler yet.
import { sendCase, type Target } from '../exchange/exchange';
import type { Suite } from '../suite';

/**
 * The ids of the operations to which a generated service replies that they are not built yet, as in
 * `listBooks is not built yet`.
 *
 * @example const target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
 */
export async function findUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  target: Target,
): Promise<ReadonlySet<string>> {
  const unbuilt = new Set<string>();
  for (const { id } of model.operations) {
    const validCase = cases.find((testCase) => testCase.operation === id && testCase.class === 'positive');
    if (!validCase) continue;
    const reply = await sendCase(target, validCase);
    if (reply.includes(' is not built yet')) unbuilt.add(id);
  }
  return unbuilt;
}

/**
 * Describes the operations without a handler (`unbuilt`) in one line; the empty string when there are none.
 *
 * @example console.log(describeUnbuilt(suite, new Set(['listBooks'])))
 */
export function describeUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  unbuilt: ReadonlySet<string>,
): string {
  if (unbuilt.size === 0) return '';
  const validCases = cases.filter((testCase) => unbuilt.has(testCase.operation) && testCase.expect === 'accepted');
  const counts = `${String(unbuilt.size)} of ${String(model.operations.length)} operations are not built yet`;
  return `${counts}, so ${String(validCases.length)} right requests to them have to be answered 501 or 503: ${[...unbuilt].join(', ')}`;
}
