// Steps that change one part of an instance, and check that the rest stays: a patch with null, and actions.
import type { Operation } from '../contract/model';
import { normalizePath } from '../contract/path-template';
import { requestPropertiesOf, requiredOf } from '../contract/schema';
import { isSame } from '../wire/json';
import { writeContent } from '../contract/serialization';
import { essenceOf } from '../wire/media-type';
import type { CaseResult } from '../oracle/checks';
import { fits } from '../values/variant';
import { findLifecycles, type LinkedOperation, type Links } from './links';
import {
  callOnInstance,
  isCompleted,
  judgeableReplyOf,
  withFindings,
  type FailedCheck,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { readInstance, readMissingEtag } from './steps';

/** Removes each property that a merge patch may remove (RFC 7396 section 2), and reads the instance again. */
export async function patchWithNull(scenario: Scenario, tracked: TrackedInstance): Promise<CaseResult[]> {
  const { lifecycle, tools } = scenario;
  const { patch } = lifecycle;
  const content = patch?.operation.body?.contents.find(
    ({ mediaType }) => essenceOf(mediaType) === 'application/merge-patch+json',
  );
  if (!patch || !content || !lifecycle.read) return [];
  const results: CaseResult[] = await readInstance(scenario, tracked);
  const patchable = requestPropertiesOf(content.schema);
  const required = tracked.lastShown ? requiredOf(tracked.lastShown.schema) : new Map<string, string>();
  // A server fills in what its replies must have.
  const removable = namesShown(tracked).filter(
    (name) => patchable.has(name) && !required.has(name) && fits(tools.values, content.schema, { [name]: null }),
  );
  for (const name of removable) {
    const body = writeContent(content, { [name]: null });
    const before = tracked.lastShown?.value[name];
    results.push(...(await readMissingEtag(scenario, tracked, patch)));
    const step = { label: `${name} is null`, ifMatch: tracked.etag, body, content };
    const result = await callOnInstance(scenario, patch, tracked, step);
    results.push(result);
    if (!isCompleted(judgeableReplyOf(result))) continue;
    forget(tracked);
    const text = `${name} is still there, and the patch has null for it`;
    results.push(
      ...(await readAndCheck(scenario, tracked, 'merge-patch', (left) =>
        left.includes(name) && isSame(before, tracked.lastShown?.value[name]) ? text : [],
      )),
    );
  }
  return results;
}

/** POST operations on an instance that create nothing, such as `/books/{id}/borrow`. */
export function findActions(
  links: Links,
  scenario: Scenario,
  isAllowed: (operation: Operation) => boolean,
): LinkedOperation[] {
  const { resource } = scenario.lifecycle;
  const creates = new Set(findLifecycles(links, () => true).map(({ create }) => create));
  return links.linkedOperations.filter(
    ({ operation, resource: own }) =>
      own === resource &&
      operation.method === 'POST' &&
      normalizePath(operation.path).startsWith(`${normalizePath(resource.path)}/`) &&
      !creates.has(operation) &&
      isAllowed(operation),
  );
}

// What such an action may be for: to remove properties.
const REMOVING = /clear|reset|anonymi|archiv|empty|wipe|eras|restor|rever|redact|remov|delet|unset|undo/i;

/** Calls an action, and checks that it keeps the optional properties, unless its name says that it removes some. */
export async function act(
  scenario: Scenario,
  tracked: TrackedInstance,
  action: LinkedOperation,
): Promise<CaseResult[]> {
  const { operation } = action;
  const results: CaseResult[] = await readInstance(scenario, tracked);
  const before = namesShown(tracked).filter((name) => scenario.lifecycle.writable.has(name));
  const result = await callOnInstance(scenario, action, tracked, { label: 'call it', ifMatch: tracked.etag });
  results.push(result);
  if (!isCompleted(judgeableReplyOf(result)) || REMOVING.test(`${operation.path} ${operation.id}`)) return results;
  forget(tracked);
  const read = await readAndCheck(scenario, tracked, 'action-dropped', (left) => {
    const lost = before.filter((name) => !left.includes(name));
    return lost.length > 0 ? `${operation.id} has dropped ${lost.join(', ')}` : [];
  });
  return [...results, ...read];
}

/** What is expected from now on is what the next read shows. */
export function forget(tracked: TrackedInstance): void {
  tracked.expected = undefined;
  tracked.unverifiedChange = undefined;
  tracked.lastShown = undefined;
  tracked.etag = undefined;
}

/** The names of the properties that the latest read showed with a value. */
export function namesShown({ lastShown }: TrackedInstance): string[] {
  return Object.entries(lastShown?.value ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));
}

/** Reads an instance, and adds what `judge` says of the names that are shown. */
export async function readAndCheck(
  scenario: Scenario,
  tracked: TrackedInstance,
  check: FailedCheck[0],
  judge: (names: readonly string[]) => string | readonly string[],
): Promise<CaseResult[]> {
  const read = await readInstance(scenario, tracked);
  const last = read.at(-1);
  if (!last || !tracked.lastShown) return read;
  const texts = [judge(namesShown(tracked))].flat();
  return [
    ...read.slice(0, -1),
    withFindings(
      scenario,
      last,
      texts.map((text) => [check, text] as const),
    ),
  ];
}
