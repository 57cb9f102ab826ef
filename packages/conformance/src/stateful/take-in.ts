// Compares a representation with what was sent before, and remembers it.
import type { CheckName } from '../oracle/checks';
import { isSame, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { Journey, Known } from './journey';
import type { Link } from './links';
import { findDifferences, sharedNames, readRepresentation, type Representation } from './representation';

export type Wrong = readonly (readonly [check: CheckName, text: string])[];

/** What is wrong with what is shown of one, which is known from now on. */
export function compareAndRemember(journey: Journey, known: Known, { operation }: Link, reply: WireReply): Wrong {
  const { writable } = journey.lifecycle;
  const shown = readRepresentation(operation, reply, writable);
  const { sent: sent, change: latest } = known;
  known.change = undefined;
  [known.tag] = valuesOf(reply, 'etag');
  if (!shown) return [];
  const before = latest?.before;
  known.shown = shown;
  known.sent = sent ?? Object.fromEntries(Object.entries(shown.value).filter(([name]) => writable.has(name)));
  const id = shownId(journey, shown);
  if (id !== undefined && id !== toText(known.thing.id)) return [['another', `the id that is read is ${id}`]];
  const names = sharedNames(shown, writable);
  const isUnchanged = (one: Representation, name: string): boolean => isSame(one.value[name], shown.value[name]);
  const wrong = sent ? findDifferences(sent, shown, writable) : [];
  if (before && wrong.length > 0 && names.every((name) => isUnchanged(before, name)))
    return [['changed', `what is read is what there was before the change: ${wrong.join(', ')}`]];
  const lost = latest?.patched && before ? findLost(latest.patched, before, shown, names) : [];
  return [
    ...lost.map((name) => ['merge patch', `${name} is not as it was, and the patch does not name it`] as const),
    ...wrong.map((text) => ['kept', text] as const),
  ];
}

export function shownId({ lifecycle: { resource } }: Journey, { value }: Representation): string | undefined {
  const name = resource.ids
    .find((one) => one.startsWith('$response.body#/'))
    ?.split('/')
    .at(-1);
  const id = name === undefined ? undefined : value[name];
  return id === undefined ? undefined : toText(id);
}

/**
 * What a patch does not name, and is gone. Where all of it changed, it is gone as well: what must be there has another
 * value. A part of it may follow from what the patch names.
 */
function findLost(
  patched: ReadonlySet<string>,
  before: Representation,
  shown: Representation,
  names: readonly string[],
): readonly string[] {
  const others = names.filter((name) => !patched.has(name) && (before.value[name] ?? null) !== null);
  const changed = others.filter((name) => !isSame(before.value[name], shown.value[name]));
  if (others.length > 1 && changed.length === others.length) return changed;
  return changed.filter((name) => (shown.value[name] ?? null) === null);
}
