// Compares a representation with what was sent, and remembers it.
import type { CheckName } from '../oracle/checks';
import { isSame, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { Journey, Known } from './journey';
import type { Link } from './links';
import { findDifferences, sharedNames, readRepresentation, type Representation } from './representation';

export type Wrong = readonly (readonly [check: CheckName, text: string])[];

/** Compares the representation in a reply with the expected state, remembers it, and returns what is wrong. */
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
  const id = idShownBy(journey, shown);
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

/** The id that a representation shows. */
export function idShownBy({ lifecycle: { resource } }: Journey, { value }: Representation): string | undefined {
  const name = resource.ids
    .find((one) => one.startsWith('$response.body#/'))
    ?.split('/')
    .at(-1);
  const id = name === undefined ? undefined : value[name];
  return id === undefined ? undefined : toText(id);
}

/**
 * The properties that a merge patch does not name, and that were lost: they are missing, or all of them changed (a
 * server that replaces everything fills in required ones). Single changes may follow from the patch.
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
