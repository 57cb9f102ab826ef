// Compares what a reply shows of an instance with its expected state, and remembers it.
import { isSame, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { FailedCheck, Journey, TrackedInstance } from './journey';
import type { LinkedOperation } from './link-operation';
import { comparableNames, findDifferences, readRepresentation, type Representation } from './representation';
import type { Resource } from './resources';

/** Returns what is wrong. If nothing was expected yet, what the reply shows is expected from now on. */
export function compareAndRemember(
  journey: Journey,
  tracked: TrackedInstance,
  { operation }: LinkedOperation,
  reply: WireReply,
): FailedCheck[] {
  const { writable } = journey.lifecycle;
  const { expected, unverifiedChange } = tracked;
  const shown = readRepresentation(operation, reply, writable);
  tracked.unverifiedChange = undefined;
  [tracked.etag] = valuesOf(reply, 'etag');
  if (!shown) return [];
  tracked.lastShown = shown;
  tracked.expected = expected ?? Object.fromEntries(Object.entries(shown.value).filter(([name]) => writable.has(name)));
  const id = idShownBy(shown, journey.lifecycle.resource);
  if (id !== undefined && id !== toText(tracked.instance.id)) return [['another', `the id that is read is ${id}`]];
  const names = comparableNames(shown, writable);
  const differences = expected ? findDifferences(expected, shown, writable) : [];
  const before = unverifiedChange?.before;
  const patchedNames = unverifiedChange?.patchedNames;
  // If all is as before the change, the change was lost: one finding says it better than one for each property.
  const isAsBefore = before && names.every((name) => isSame(before.value[name], shown.value[name]));
  if (isAsBefore && differences.length > 0)
    return [['changed', `what is read is what there was before the change: ${differences.join(', ')}`]];
  const lost = patchedNames && before ? findLostByPatch(names, patchedNames, before, shown) : [];
  return [
    ...lost.map((name) => ['merge patch', `${name} is not as it was, and the patch does not name it`] as const),
    ...differences.map((text) => ['kept', text] as const),
  ];
}

/** The id that a reply shows; undefined if the contract declares no property for it, or the reply lacks it. */
export function idShownBy({ value }: Representation, { idExpressions }: Resource): string | undefined {
  // The last part of `$response.body#/data/id`: `value` is the object without its envelope `data`.
  const name = idExpressions
    .find((expression) => expression.startsWith('$response.body#/'))
    ?.split('/')
    .at(-1);
  const id = name === undefined ? undefined : value[name];
  return id === undefined ? undefined : toText(id);
}

// Properties that a merge patch did not name, but that are missing now, or all changed (a server that replaces
// everything fills in required ones). If only some changed, that may follow from the patch.
function findLostByPatch(
  names: readonly string[],
  patchedNames: ReadonlySet<string>,
  before: Representation,
  shown: Representation,
): readonly string[] {
  const unnamed = names.filter((name) => !patchedNames.has(name) && (before.value[name] ?? null) !== null);
  const changed = unnamed.filter((name) => !isSame(before.value[name], shown.value[name]));
  const areAllChanged = unnamed.length > 1 && changed.length === unnamed.length;
  return areAllChanged ? changed : changed.filter((name) => (shown.value[name] ?? null) === null);
}
