// The steps of a scenario that create, read and delete.
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
  judgeableReplyOf,
  isNotFoundReply,
  track,
  withFindings,
  withFindingsAtEnd,
  type Change,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import type { LinkedOperation } from './links';
import {
  readRepresentation,
  unwrapEnvelope,
  comparableNames,
  findDifferences,
  type Representation,
} from './representation';
import type { Resource } from './resources';

/**
 * Tracks the new instance in the scenario, and returns it, unless it may have existed before. The results include those
 * of the requests that created parents.
 */
export async function* createInstance(
  scenario: Scenario,
  body: number | ValidBody = 0,
  parent?: Instance,
): AsyncGenerator<CaseResult, TrackedInstance | undefined> {
  const { instances, lifecycle, created } = scenario;
  const { resource, writable } = lifecycle;
  const instance = await instances.createNew(resource, body, parent);
  const results = instances.takeResults();
  if (!instance?.isCreatedByRun) {
    yield* results;
    return undefined;
  }
  // Where the client chooses the id, it may use one again, and a server may give that of a deleted instance.
  const isTwin =
    !resource.isIdChosenByClient &&
    created.some((other) => !other.isDeleted && isSameInstance(other.instance, instance));
  const tracked = track(instance);
  tracked.expected = unwrapEnvelope(instance.body?.value, writable);
  tracked.lastShown = readRepresentation(lifecycle.create, instance.exchange.reply, writable);
  tracked.newEtag = instance.etag;
  created.push(tracked);
  const { status } = instance.exchange.reply;
  if (instance.wasMissing && (status === 200 || status === 204)) {
    const text = `PUT answers ${String(status)} and not 201, although it has created ${toText(instance.id)}`;
    yield* withFindingsAtEnd(scenario, results, [{ check: 'put-status', text }]);
    return tracked;
  }
  const text = `the new resource has the id of an existing one: ${toText(instance.id)}`;
  yield* withFindingsAtEnd(scenario, results, isTwin ? [{ check: 'wrong-resource', text }] : []);
  return tracked;
}

/**
 * Checks that the instance is as expected, or not there any more if it was deleted.
 *
 * @param judgeShown finds more that is wrong with what the reply shows
 */
export async function* readInstance(
  scenario: Scenario,
  tracked: TrackedInstance,
  judgeShown: (shown: Representation) => readonly Finding[] = () => [],
): AsyncGenerator<CaseResult> {
  const { read } = scenario.lifecycle;
  if (!read || tracked.isUnknown) return;
  const label = tracked.isDeleted ? 'read it after its deletion' : 'read it';
  const result = await callOnInstance(scenario, read, tracked, { label });
  const reply = judgeableReplyOf(result);
  const findings = reply ? checkRead(scenario, tracked, read, reply) : [];
  yield withFindings(scenario, result, [...findings, ...(tracked.lastShown ? judgeShown(tracked.lastShown) : [])]);
}

function checkRead(scenario: Scenario, tracked: TrackedInstance, read: LinkedOperation, reply: WireReply): Finding[] {
  const isSuccess = reply.status < 300;
  const isLost = isNotFoundReply(reply);
  const id = toText(tracked.instance.id);
  if (tracked.isDeleted) {
    tracked.isGone = isLost;
    // If the contract declares neither 404 nor 410, a deleted instance may still be shown, such as a cancelled order;
    // and one that is shown otherwise than before, such as with the time of its deletion, is archived.
    const shown = isSuccess ? readRepresentation(read.operation, reply, scenario.lifecycle.writable) : undefined;
    const isArchived = shown && tracked.lastShown && !isSame(shown.value, tracked.lastShown.value);
    const isStillShown = isSuccess && declares404Or410(read.operation) && isArchived !== true;
    return isStillShown ? [{ check: 'deleted-readable', text: `the deleted resource ${id} can still be read` }] : [];
  }
  if (isSuccess) return compareAndRemember(scenario, tracked, read, reply);
  // A change may have given it another path, if that has an id.
  const mayBeMoved = tracked.unverifiedChange && tracked.instance.resource.idParameter !== '';
  return isLost && !mayBeMoved ? [{ check: 'resource-lost', text: `the created resource ${id} cannot be read` }] : [];
}

/** Reads what the `Location` header of a 201 leads to, and checks that it is the created instance. */
export async function* followLocation(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { lifecycle, tools } = scenario;
  const { exchange, id } = tracked.instance;
  if (!lifecycle.read || tracked.isDeleted || exchange.reply.status !== 201) return;
  const { base } = tools.target;
  const { operation } = lifecycle.read;
  const below = locationOf(exchange, base, operation.server);
  // A Location outside the base path may be right, but has to lead somewhere.
  const host = { contractPath: prefixOf({}, base), path: '' };
  const target = below ?? locationOf(exchange, base, host);
  if (target === undefined) return;
  const step = { label: 'read the target of Location', target, ...(below === undefined && { server: host }) };
  const result = await callOnInstance(scenario, lifecycle.read, tracked, step);
  const reply = judgeableReplyOf(result);
  const isNowhere = isNotFoundReply(reply);
  if (reply && below === undefined && !isNowhere) return;
  const shown = isCompleted(reply) ? readRepresentation(operation, reply, lifecycle.writable) : undefined;
  const shownId = shown && idShownBy(shown, lifecycle.resource);
  const isAnother = shownId !== undefined && shownId !== toText(id);
  const text = `Location leads to ${isNowhere ? 'nothing' : 'another resource'}: ${target}`;
  const own = reply && below === undefined ? { ...result, findings: [] } : result;
  yield withFindings(scenario, own, isNowhere || isAnother ? [{ check: 'location-target', text }] : []);
}

/** Deletes an instance, perhaps again. Reads it first if `If-Match` needs an entity tag. */
export async function* deleteInstance(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { remove } = scenario.lifecycle;
  if (!remove || tracked.isUnknown) return;
  const wasDeleted = tracked.isDeleted;
  if (!wasDeleted) yield* readMissingEtag(scenario, tracked, remove);
  const label = wasDeleted ? 'delete it again' : 'delete it';
  const result = await callOnInstance(scenario, remove, tracked, { label, ifMatch: tracked.etag });
  if (isCompleted(judgeableReplyOf(result))) tracked.isDeleted = true;
  yield result;
}

/** Reads an instance if the next operation has `If-Match` and the entity tag for it is unknown; else sends nothing. */
export async function* readMissingEtag(
  scenario: Scenario,
  tracked: TrackedInstance,
  { operation }: LinkedOperation,
): AsyncGenerator<CaseResult> {
  if (tracked.etag === undefined && operation.parameters.some(isIfMatch)) yield* readInstance(scenario, tracked);
}

function isSameInstance(one: Instance, other: Instance): boolean {
  return toText(one.id) === toText(other.id) && one.parents.every((parent, index) => parent === other.parents[index]);
}

/** Returns what is wrong. If nothing was expected yet, what the reply shows is expected from now on. */
function compareAndRemember(
  scenario: Scenario,
  tracked: TrackedInstance,
  { operation }: LinkedOperation,
  reply: WireReply,
): Finding[] {
  const { writable } = scenario.lifecycle;
  const { expected, unverifiedChange, lastShown, newEtag } = tracked;
  const shown = readRepresentation(operation, reply, writable);
  Object.assign(tracked, { unverifiedChange: undefined, newEtag: undefined });
  [tracked.etag] = valuesOf(reply, 'etag');
  if (!shown) return [];
  tracked.lastShown = shown;
  tracked.expected = expected ?? Object.fromEntries(Object.entries(shown.value).filter(([name]) => writable.has(name)));
  const id = idShownBy(shown, scenario.lifecycle.resource);
  if (id !== undefined && id !== toText(tracked.instance.id))
    return [{ check: 'wrong-resource', text: `the response has the id ${id}, which is not the requested one` }];
  const names = comparableNames(shown, writable);
  const differences = expected ? findDifferences(expected, shown, writable) : [];
  const before = unverifiedChange?.before;
  const isSameAsBefore = (name: string): boolean => isSame(before?.value[name], shown.value[name]);
  const { etag } = tracked;
  const isTagKept = etag?.startsWith('"') === true && etag === tracked.oldEtags.at(-1);
  if (isTagKept && names.some((name) => before?.value[name] !== undefined && !isSameAsBefore(name)))
    return [{ check: 'etag-unchanged', text: `the representation has changed, but its ETag is still ${etag}` }];
  // What the reply has shown, if anything, is what is there now: nothing has changed it since.
  const given = unverifiedChange ? unverifiedChange.shown : lastShown;
  const isAsGiven = given ? isSame(given.value, shown.value) : differences.length === 0;
  if (isAsGiven && etag !== newEtag && [etag, newEtag].every((tag) => tag?.startsWith('"')))
    return [
      { check: 'etag-given', text: `ETag is ${String(etag)}, but was ${String(newEtag)} in the reply to the change` },
    ];
  // If all is as before the change, the change was lost: one finding says it better than one for each property.
  const isAsBefore = before && names.every(isSameAsBefore);
  // The state before may show the new value in another form, and what a patch does not name has been different before.
  const lost = differences.filter(({ name }) => unverifiedChange?.patchedNames?.has(name) ?? true);
  // A switch or a level alone may have gone back by itself.
  const mayGoBack = (name: string): boolean => names.length === 1 && mayBeExclusive(shown, name, expected?.[name]);
  if (isAsBefore && lost.some(({ name, isChanged }) => (isChanged && !mayGoBack(name)) || expected?.[name] === null)) {
    const texts = lost.map(({ text }) => text).join(', ');
    return [
      {
        check: 'update-not-saved',
        text: `the change succeeded, but the next read shows the state before it: ${texts}`,
      },
    ];
  }
  // A server may have a default that the contract does not name: what was created without the property shows it.
  const findDefaults = (name: string): (Json | undefined)[] =>
    scenario.created.flatMap(({ instance: { body }, lastShown: other }) =>
      other && isJsonObject(body?.value) && !(name in unwrapEnvelope(body.value, writable)) ? [other.value[name]] : [],
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
        // The reply to the change has shown the value, and nothing has happened since.
        const isContradicted = sent !== undefined && isSame(unverifiedChange?.shown?.value[name], sent);
        if (!isChanged || (!isContradicted && mayBeExclusive(shown, name, sent))) return [];
        const isOfOther = !unverifiedChange && lastShown && isSame(lastShown.value[name], sent);
        if (!isOfOther) return [{ check: 'value-changed', text }];
        const since = `although no request has changed it since it was last read (id ${toText(tracked.instance.id)})`;
        return [{ check: 'other-changed', text: `${text}, ${since}` }];
      }),
    );
}

// A flag or a rank that only one resource can have: giving it to another one takes it away.
function mayBeExclusive({ schema, value }: Representation, name: string, sent: Json | undefined): boolean {
  const property = propertiesOf(schema).get(name);
  const hasEnum = property !== undefined && rulesOf(property, 'enum').length > 0;
  return hasEnum || (typeof sent === typeof value[name] && ['boolean', 'bigint'].includes(typeof sent));
}

/** The id that a reply shows; undefined if the contract declares no property for it, or the reply lacks it. */
export function idShownBy({ value }: Pick<Representation, 'value'>, { idExpressions }: Resource): string | undefined {
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
function findLostByPatch(names: readonly string[], change: Change | undefined, shown: Representation): string[] {
  const { before, patchedNames, isMergePatch } = change ?? {};
  if (!before || !patchedNames || isMergePatch !== true) return [];
  const unnamed = names.filter((name) => !patchedNames.has(name) && (before.value[name] ?? null) !== null);
  const changed = unnamed.filter((name) => !isSame(before.value[name], shown.value[name]));
  const areAllChanged = unnamed.length > 1 && changed.length === unnamed.length;
  return areAllChanged ? changed : changed.filter((name) => (shown.value[name] ?? null) === null);
}
