// Scenario steps that create, read and delete instances.
import type { CaseResult, Finding } from '../oracle/checks';
import { propertiesOf, rulesOf } from '../contract/schema';
import { isJsonObject, toText, isSame, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { prefixOf } from '../wire/request';
import { locationOf } from './find-id';
import type { ValidBody } from './bodies';
import { isIfMatch, type Instance } from './instance-store';
import {
  callOnInstance,
  declares404Or410,
  isCompleted,
  conclusiveReplyOf,
  isNotFoundReply,
  track,
  addFindings,
  addFindingsAtEnd,
  type Change,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import type { LinkedOperation } from './links';
import {
  readRepresentation,
  unwrapEnvelope,
  listComparableNames,
  findDifferences,
  type Representation,
} from './representation';
import type { Resource } from './resources';

/** Returns undefined unless this run created the instance. The results include requests that created parents. */
export async function* createInstance(
  scenario: Scenario,
  body: number | ValidBody = 0,
  parent?: Instance,
): AsyncGenerator<CaseResult, TrackedInstance | undefined> {
  const { instances, lifecycle, created } = scenario;
  const { resource, writable } = lifecycle;
  for (const earlier of created) earlier.isNew = false;
  const instance = await instances.createNew(resource, body, parent);
  const results = instances.takeResults();
  if (!instance?.isCreatedByRun) {
    yield* results;
    return undefined;
  }
  // Clients may choose an id again, and servers may reuse the id of a deleted instance.
  const hasDuplicateId =
    !resource.isIdChosenByClient &&
    created.some((earlier) => !earlier.isDeleted && isSameInstance(earlier.instance, instance));
  const tracked = track(instance);
  tracked.expected = unwrapEnvelope(instance.body?.value, writable);
  tracked.lastShown = readRepresentation(lifecycle.create, instance.exchange.reply, writable);
  tracked.newEtag = instance.etag;
  created.push(tracked);
  const { status } = instance.exchange.reply;
  if (instance.wasMissing && (status === 200 || status === 204)) {
    const text = `PUT answers ${String(status)} and not 201, although it has created ${toText(instance.id)}`;
    yield* addFindingsAtEnd(scenario, results, [{ check: 'put-status', text }]);
    return tracked;
  }
  const text = `the new resource has the id of an existing one: ${toText(instance.id)}`;
  yield* addFindingsAtEnd(scenario, results, hasDuplicateId ? [{ check: 'wrong-resource', text }] : []);
  return tracked;
}

/** Checks that the instance is as expected, or gone if it was deleted. `checkShown` checks what the reply shows. */
export async function* readInstance(
  scenario: Scenario,
  tracked: TrackedInstance,
  checkShown: (shown: Representation) => readonly Finding[] = () => [],
): AsyncGenerator<CaseResult> {
  const { read } = scenario.lifecycle;
  if (!read || tracked.isUnknown) return;
  const label = tracked.isDeleted ? 'read it after its deletion' : 'read it';
  const result = await callOnInstance(scenario, read, tracked, { label });
  const reply = conclusiveReplyOf(result);
  const findings = reply ? checkRead(scenario, tracked, read, reply) : [];
  yield addFindings(scenario, result, [...findings, ...(tracked.lastShown ? checkShown(tracked.lastShown) : [])]);
}

function checkRead(scenario: Scenario, tracked: TrackedInstance, read: LinkedOperation, reply: WireReply): Finding[] {
  const isSuccess = reply.status < 300;
  const isNotFound = isNotFoundReply(reply);
  const id = toText(tracked.instance.id);
  if (tracked.isDeleted) {
    tracked.isGone = isNotFound;
    // Servers may still show a deleted instance, such as a cancelled order, if it changed or no 404 is declared.
    const shown = isSuccess ? readRepresentation(read.operation, reply, scenario.lifecycle.writable) : undefined;
    const isArchived = shown && tracked.lastShown && !isSame(shown.value, tracked.lastShown.value);
    const isStillShown = isSuccess && declares404Or410(read.operation) && isArchived !== true;
    return isStillShown ? [{ check: 'deleted-readable', text: `the deleted resource ${id} can still be read` }] : [];
  }
  if (isSuccess) return compareAndRemember(scenario, tracked, read, reply);
  // A change to the id may have moved the instance to another path.
  const mayBeMoved = tracked.unverifiedChange && tracked.instance.resource.idParameter !== '';
  return isNotFound && !mayBeMoved
    ? [{ check: 'resource-lost', text: `the created resource ${id} cannot be read` }]
    : [];
}

/** Reads the target of a 201's `Location`, which must be the created instance. */
export async function* followLocation(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { lifecycle, tools } = scenario;
  const { exchange, id } = tracked.instance;
  if (!lifecycle.read || tracked.isDeleted || exchange.reply.status !== 201) return;
  const { base } = tools.target;
  const { operation } = lifecycle.read;
  const ownTarget = locationOf(exchange, base, operation.server);
  // A Location outside the base path is allowed, but it must not lead to a 404.
  const server = { contractPath: prefixOf({}, base), path: '' };
  const target = ownTarget ?? locationOf(exchange, base, server);
  if (target === undefined) return;
  const step = { label: 'read the target of Location', target, ...(ownTarget === undefined && { server }) };
  const result = await callOnInstance(scenario, lifecycle.read, tracked, step);
  const reply = conclusiveReplyOf(result);
  const isMissing = isNotFoundReply(reply);
  if (reply && ownTarget === undefined && !isMissing) return;
  const shown = isCompleted(reply) ? readRepresentation(operation, reply, lifecycle.writable) : undefined;
  const shownId = shown && idShownBy(shown, lifecycle.resource);
  const isOtherResource = shownId !== undefined && shownId !== toText(id);
  const text = `Location leads to ${isMissing ? 'nothing' : 'another resource'}: ${target}`;
  const baseResult = reply && ownTarget === undefined ? { ...result, findings: [] } : result;
  yield addFindings(scenario, baseResult, isMissing || isOtherResource ? [{ check: 'location-target', text }] : []);
}

/** Deletes an instance, or tries to delete a deleted one again. */
export async function* deleteInstance(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { remove } = scenario.lifecycle;
  if (!remove || tracked.isUnknown) return;
  const wasDeleted = tracked.isDeleted;
  if (!wasDeleted) yield* readMissingEtag(scenario, tracked, remove);
  const label = wasDeleted ? 'delete it again' : 'delete it';
  const result = await callOnInstance(scenario, remove, tracked, { label, ifMatch: tracked.etag });
  if (isCompleted(conclusiveReplyOf(result))) tracked.isDeleted = true;
  yield result;
}

/** Reads the instance if the next operation has `If-Match` and the entity tag is unknown. */
export async function* readMissingEtag(
  scenario: Scenario,
  tracked: TrackedInstance,
  { operation }: LinkedOperation,
): AsyncGenerator<CaseResult> {
  if (tracked.etag === undefined && operation.parameters.some(isIfMatch)) yield* readInstance(scenario, tracked);
}

function isSameInstance(left: Instance, right: Instance): boolean {
  return toText(left.id) === toText(right.id) && left.parents.every((parent, index) => parent === right.parents[index]);
}

/** Compares the shown state with the expected one. If none was expected yet, expects the shown one from now on. */
function compareAndRemember(
  scenario: Scenario,
  tracked: TrackedInstance,
  { operation }: LinkedOperation,
  reply: WireReply,
): Finding[] {
  const { writable } = scenario.lifecycle;
  const { expected, unverifiedChange, lastShown, newEtag, isNew } = tracked;
  const shown = readRepresentation(operation, reply, writable);
  Object.assign(tracked, { unverifiedChange: undefined, newEtag: undefined, isNew: false });
  [tracked.etag] = valuesOf(reply, 'etag');
  if (!shown) return [];
  tracked.lastShown = shown;
  tracked.expected = expected ?? Object.fromEntries(Object.entries(shown.value).filter(([name]) => writable.has(name)));
  const id = idShownBy(shown, scenario.lifecycle.resource);
  if (id !== undefined && id !== toText(tracked.instance.id))
    return [{ check: 'wrong-resource', text: `the response has the id ${id}, which is not the requested one` }];
  const names = listComparableNames(shown, writable);
  const differences = expected ? findDifferences(expected, shown, writable) : [];
  const before = unverifiedChange?.before;
  const isSameAsBefore = (name: string): boolean => isSame(before?.value[name], shown.value[name]);
  const { etag } = tracked;
  const isTagKept = etag?.startsWith('"') === true && etag === tracked.oldEtags.at(-1);
  if (isTagKept && names.some((name) => before?.value[name] !== undefined && !isSameAsBefore(name)))
    return [{ check: 'etag-unchanged', text: `the representation has changed, but its ETag is still ${etag}` }];
  // The last shown state must still hold, since nothing has changed it in the meantime.
  const lastKnownState = unverifiedChange ? unverifiedChange.shown : lastShown;
  const isAsGiven = lastKnownState ? isSame(lastKnownState.value, shown.value) : differences.length === 0;
  if (isAsGiven && etag !== newEtag && [etag, newEtag].every((tag) => tag?.startsWith('"')))
    return [
      { check: 'etag-given', text: `ETag is ${String(etag)}, but was ${String(newEtag)} in the reply to the change` },
    ];
  // If nothing has changed, one finding for the lost change says more than one for each property.
  const isAsBefore = before && names.every(isSameAsBefore);
  // Properties that a patch does not name may have differed before it.
  const losses = differences.filter(({ name }) => unverifiedChange?.patchedNames?.has(name) ?? true);
  // If a flag or number is the only property, it may have returned to its old value by itself.
  const mayGoBack = (name: string): boolean => names.length === 1 && mayBeExclusive(shown, name, expected?.[name]);
  if (
    isAsBefore &&
    losses.some(({ name, isChanged }) => (isChanged && !mayGoBack(name)) || expected?.[name] === null)
  ) {
    const texts = losses.map(({ text }) => text).join(', ');
    return [
      {
        check: 'update-not-saved',
        text: `the change succeeded, but the next read shows the state before it: ${texts}`,
      },
    ];
  }
  // Instances that were created without the property show the server's undeclared default, if any.
  const findDefaults = (name: string): (Json | undefined)[] =>
    scenario.created.flatMap(({ instance: { body }, lastShown: otherShown }) =>
      otherShown && isJsonObject(body?.value) && !(name in unwrapEnvelope(body.value, writable))
        ? [otherShown.value[name]]
        : [],
    );
  const isMerged = (name: string): boolean =>
    unverifiedChange?.isReplacement === true &&
    expected?.[name] === undefined &&
    isSameAsBefore(name) &&
    findDefaults(name).length > 0 &&
    !findDefaults(name).some((value) => isSame(value, shown.value[name]));
  return differences
    .filter(({ name }) => isMerged(name))
    .map(({ name }): Finding => ({
      check: 'put-merged',
      text: `${name} has its old value, although the PUT left it out`,
    }))
    .concat(
      findLostByPatch(names, unverifiedChange, shown).map((name) => ({
        check: 'merge-patch',
        text: `${name} has changed, although the patch does not name it`,
      })),
      differences.flatMap(({ name, text, isChanged, isDefault }): Finding[] => {
        if (isDefault) return [{ check: 'default-not-applied', text }];
        const sent = expected?.[name];
        // If the reply to the change showed the sent value, this read must show it too.
        const shownOnCreation = isNew && typeof sent === 'bigint' ? lastShown : undefined;
        const repeated = unverifiedChange ? unverifiedChange.shown : shownOnCreation;
        const isContradicted = sent !== undefined && isSame(repeated?.value[name], sent);
        if (!isChanged || (!isContradicted && mayBeExclusive(shown, name, sent))) return [];
        const isUntouched = !unverifiedChange && !isNew && lastShown && isSame(lastShown.value[name], sent);
        if (!isUntouched) return [{ check: 'value-changed', text }];
        const reason = `although no request has changed it since it was last read (id ${toText(tracked.instance.id)})`;
        return [{ check: 'other-changed', text: `${text}, ${reason}` }];
      }),
    );
}

// A flag or a rank that only one resource can hold is lost when another resource gets it.
function mayBeExclusive({ schema, value }: Representation, name: string, sent: Json | undefined): boolean {
  const property = propertiesOf(schema).get(name);
  const hasEnum = property !== undefined && rulesOf(property, 'enum').length > 0;
  return hasEnum || (typeof sent === typeof value[name] && ['boolean', 'bigint'].includes(typeof sent));
}

/** Returns undefined if the contract declares no property for the id, or the reply lacks it. */
export function idShownBy({ value }: Pick<Representation, 'value'>, { idExpressions }: Resource): string | undefined {
  // Takes the last part of `$response.body#/data/id`, since `value` has no envelope.
  const name = idExpressions
    .find((expression) => expression.startsWith('$response.body#/'))
    ?.split('/')
    .at(-1);
  const id = name === undefined ? undefined : value[name];
  return id === undefined ? undefined : toText(id);
}

// Finds properties outside the patch that are now missing or have all changed. A few changes may follow from the patch.
function findLostByPatch(names: readonly string[], change: Change | undefined, shown: Representation): string[] {
  const { before, patchedNames, isMergePatch } = change ?? {};
  if (!before || !patchedNames || isMergePatch !== true) return [];
  const unpatchedNames = names.filter((name) => !patchedNames.has(name) && (before.value[name] ?? null) !== null);
  const changedNames = unpatchedNames.filter((name) => !isSame(before.value[name], shown.value[name]));
  const areAllChanged = unpatchedNames.length > 1 && changedNames.length === unpatchedNames.length;
  return areAllChanged ? changedNames : changedNames.filter((name) => (shown.value[name] ?? null) === null);
}
