// Runs one journey: create, read, list, change and delete what a resource has.
import type { CaseResult } from '../run-case';
import type { Journey } from './journey';
import { list } from './list-made';
import { create, follow, read, remove } from './steps';
import { changeBlindly, write } from './write';

// With three of them, a list has a second page.
const OTHERS = [1, 2];

/**
 * Some of a resource are made; one is read, changed, deleted and read again, and the others are to stay as they were. In
 * the end all are gone, as far as the contract lets them go.
 *
 * @example for await (const { findings } of runJourney({ tools, things, lifecycle, made: [] })) console.log(findings)
 */
export async function* runJourney(journey: Journey): AsyncGenerator<CaseResult> {
  const { made, lifecycle } = journey;
  const { replace, change, remove: deletion } = lifecycle;
  yield* await create(journey);
  const [one] = made;
  if (!one) return;
  for (const choice of OTHERS) yield* await create(journey, choice);
  for (const each of made) {
    yield* await read(journey, each);
    yield* await follow(journey, each);
  }
  yield* await list(journey);
  for (const link of [change, replace, change]) {
    yield* await write(journey, one, link);
    yield* await read(journey, one);
  }
  for (const [link, hasTag] of [replace, change, deletion].flatMap((link) => [
    [link, false] as const,
    [link, true] as const,
  ])) {
    yield* await changeBlindly(journey, one, link, hasTag);
    if (link) yield* await read(journey, one);
  }
  for (const other of made.slice(1)) yield* await read(journey, other);
  yield* await remove(journey, one);
  yield* await read(journey, one);
  yield* await remove(journey, one);
  for (const other of made.slice(1)) yield* await read(journey, other);
  yield* await list(journey);
  for (const other of made.slice(1)) yield* await remove(journey, other);
}
