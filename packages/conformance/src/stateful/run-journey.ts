// Runs one journey: creates, reads, lists, changes and deletes things of one resource.
import type { CaseResult } from '../run-case';
import type { Journey } from './journey';
import { checkList } from './list-made';
import { createOne, followLocation, readOne, deleteOne } from './steps';
import { changeUnconditionally, update } from './write';

// Pages have two items, so the third thing is on the second page.
const OTHERS = [1, 2];

/**
 * Creates three things; reads, changes and deletes one of them, and checks that the others stay the same. At the end it
 * deletes them all, if the contract has DELETE.
 *
 * @example for await (const { findings } of runJourney({ tools, things, lifecycle, made: [] })) console.log(findings)
 */
export async function* runJourney(journey: Journey): AsyncGenerator<CaseResult> {
  const { made, lifecycle } = journey;
  const { replace, change, remove: deletion } = lifecycle;
  yield* await createOne(journey);
  const [one] = made;
  if (!one) return;
  for (const choice of OTHERS) yield* await createOne(journey, choice);
  for (const each of made) {
    yield* await readOne(journey, each);
    yield* await followLocation(journey, each);
  }
  yield* await checkList(journey);
  for (const link of [change, replace, change]) {
    yield* await update(journey, one, link);
    yield* await readOne(journey, one);
  }
  for (const [link, hasTag] of [replace, change, deletion].flatMap((link) => [
    [link, false] as const,
    [link, true] as const,
  ])) {
    yield* await changeUnconditionally(journey, one, link, hasTag);
    if (link) yield* await readOne(journey, one);
  }
  for (const other of made.slice(1)) yield* await readOne(journey, other);
  yield* await deleteOne(journey, one);
  yield* await readOne(journey, one);
  yield* await deleteOne(journey, one);
  for (const other of made.slice(1)) yield* await readOne(journey, other);
  yield* await checkList(journey);
  for (const other of made.slice(1)) yield* await deleteOne(journey, other);
}
