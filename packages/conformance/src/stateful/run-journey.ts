// Runs one journey: creates, reads, lists, changes and deletes instances of one resource.
import type { CaseResult } from '../run-case';
import { changeUnconditionally, update } from './change-instance';
import { checkList } from './check-list';
import type { Journey, TrackedInstance } from './journey';
import { createInstance, deleteInstance, followLocation, readInstance } from './steps';

// The bodies of the second and third instance: others than the default one, which has the number 0. Pages of lists have
// two items, so the third instance is on the second page.
const OTHER_BODIES = [1, 2];

/** Creates three instances; reads, changes and deletes the first one, and checks that the others stay the same. */
export async function* runJourney(journey: Journey): AsyncGenerator<CaseResult> {
  const { created } = journey;
  yield* await createInstance(journey);
  const [first] = created;
  if (!first) return;
  for (const bodyNumber of OTHER_BODIES) yield* await createInstance(journey, bodyNumber);
  for (const tracked of created) {
    yield* await readInstance(journey, tracked);
    yield* await followLocation(journey, tracked);
  }
  yield* await checkList(journey);
  yield* changeOne(journey, first);
  const others = created.slice(1);
  for (const other of others) yield* await readInstance(journey, other);
  yield* await deleteInstance(journey, first);
  // Read and delete again: both must fail.
  yield* await readInstance(journey, first);
  yield* await deleteInstance(journey, first);
  for (const other of others) yield* await readInstance(journey, other);
  yield* await checkList(journey);
  for (const other of others) yield* await deleteInstance(journey, other);
}

async function* changeOne(journey: Journey, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { replace, patch, remove } = journey.lifecycle;
  // PATCH once more after PUT, which may have left out properties.
  for (const operation of [patch, replace, patch]) {
    yield* await update(journey, tracked, operation);
    yield* await readInstance(journey, tracked);
  }
  // These must fail: the changes above made the first entity tag an old one.
  for (const operation of [replace, patch, remove]) {
    for (const ifMatch of ['none', 'old'] as const) {
      yield* await changeUnconditionally(journey, tracked, operation, ifMatch);
      if (operation) yield* await readInstance(journey, tracked);
    }
  }
}
