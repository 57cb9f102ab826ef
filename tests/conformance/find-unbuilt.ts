import type { Outcome } from '../../src/contract/http/outcome';
import { until } from '../until';
import { sendCase, type Target, type Suite } from '@contract-kit/conformance';

/**
 * The operations that nobody has built yet: a right request to them ends in the handler that was generated.
 *
 * @param outcomes of all requests that the target had, now and later
 */
export async function findUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  target: Target,
  outcomes: readonly Outcome[],
): Promise<ReadonlySet<string>> {
  const unbuilt = new Set<string>();
  for (const { id } of model.operations) {
    const right = cases.find((one) => one.operation === id && one.class === 'positive');
    if (!right) continue;
    const before = outcomes.length;
    await sendCase(target, right);
    // It is told of after the reply.
    await until(() => outcomes.length > before);
    if (outcomes.at(-1)?.refusal?.message === `${id} is not built yet`) unbuilt.add(id);
  }
  return unbuilt;
}

/** One line about them for people; nothing when all are built. */
export function describeUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  unbuilt: ReadonlySet<string>,
): string {
  if (unbuilt.size === 0) return '';
  const waiting = cases.filter((one) => unbuilt.has(one.operation) && one.expect === 'accepted');
  const counts = `${String(unbuilt.size)} of ${String(model.operations.length)} operations are not built yet`;
  return `${counts}, so ${String(waiting.length)} right requests to them have to be answered 501 or 503: ${[...unbuilt].join(', ')}`;
}
