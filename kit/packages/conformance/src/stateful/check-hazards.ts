// Checks what often goes wrong: patches with null, actions, concurrent changes, and access by other callers.
import { propertiesOf, requestPropertiesOf, requiredOf, rulesOf } from '../contract/schema';
import { writeContent } from '../contract/serialization';
import { allPropertiesOf } from '../contract/unions';
import { isIdempotencyKey, validRequest } from '../generators/valid-request';
import { jsonBodyOf } from '../oracle/body';
import type { CaseResult } from '../oracle/checks';
import { fits } from '../values/variant';
import { isJsonObject, isSame, toText, writeJson, type Json } from '../wire/json';
import { essenceOf } from '../wire/media-type';
import { createSingleMemberBodies, createValidBodies, type ValidBody } from './bodies';
import { idOf, keepFailedResults } from './check-list';
import { findId } from './find-id';
import { isIfMatch, sendValid } from './instance-store';
import type { LinkedOperation } from './links';
import { findPageSize, readPages } from './read-pages';
import type { Representation } from './representation';
import {
  callOnInstance,
  isCompleted,
  conclusiveReplyOf,
  addFindings,
  addFindingsAtEnd,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { readInstance, readMissingEtag } from './steps';

/** Removes each property that a merge patch may remove, and reads the instance again (RFC 7396 section 2). */
export async function* patchWithNull(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { lifecycle, tools } = scenario;
  const { patch, read } = lifecycle;
  const content = patch?.operation.body?.contents.find(
    ({ mediaType }) => essenceOf(mediaType) === 'application/merge-patch+json',
  );
  if (!patch || !content || !read) return;
  yield* readInstance(scenario, tracked);
  const patchProperties = requestPropertiesOf(content.schema, allPropertiesOf(content.schema));
  const required = tracked.lastShown ? requiredOf(tracked.lastShown.schema) : new Map<string, string>();
  // A server may restore a property that is required in replies or has a default.
  const removableNames = listShownNames(tracked.lastShown).filter((name) => {
    const shownProperty = tracked.lastShown && propertiesOf(tracked.lastShown.schema).get(name);
    const schemas = [shownProperty, patchProperties.get(name), lifecycle.writable.get(name)];
    const hasDefault = schemas.some((schema) => schema && rulesOf(schema, 'default').length > 0);
    const mayLack = !required.has(name) || (shownProperty && fits(tools.values, shownProperty, null));
    return patchProperties.has(name) && !hasDefault && mayLack && fits(tools.values, content.schema, { [name]: null });
  });
  for (const name of removableNames) {
    const body = writeContent(content, { [name]: null });
    const before = tracked.lastShown?.value[name];
    yield* readMissingEtag(scenario, tracked, patch);
    const step = { label: `remove ${name} by null`, ifMatch: tracked.etag, body, content };
    const result = await callOnInstance(scenario, patch, tracked, step);
    yield result;
    if (!isCompleted(conclusiveReplyOf(result))) continue;
    forgetState(tracked);
    yield* readInstance(scenario, tracked, (shown) => {
      const isUnchanged = listShownNames(shown).includes(name) && isSame(before, shown.value[name]);
      return isUnchanged
        ? [{ check: 'merge-patch', text: `${name} is still there, although the patch sets it to null` }]
        : [];
    });
  }
}

// An action with one of these words in its name may remove properties.
const REMOVAL_WORD = /clear|reset|anonymi|archiv|empty|wipe|eras|restor|rever|redact|remov|delet|unset|undo/i;

/** Checks that an action keeps the writable properties unless its name says that it removes some. */
export async function* checkAction(
  scenario: Scenario,
  tracked: TrackedInstance,
  action: LinkedOperation,
): AsyncGenerator<CaseResult> {
  const { operation } = action;
  yield* readInstance(scenario, tracked);
  const namesBefore = listShownNames(tracked.lastShown).filter((name) => scenario.lifecycle.writable.has(name));
  const result = await callOnInstance(scenario, action, tracked, { label: 'call the action', ifMatch: tracked.etag });
  yield result;
  if (!isCompleted(conclusiveReplyOf(result)) || REMOVAL_WORD.test(`${operation.path} ${operation.id}`)) return;
  forgetState(tracked);
  yield* readInstance(scenario, tracked, (shown) => {
    const lostNames = namesBefore.filter((name) => !listShownNames(shown).includes(name));
    return lostNames.length > 0
      ? [{ check: 'action-property-lost', text: `${operation.id} lost these properties: ${lostNames.join(', ')}` }]
      : [];
  });
}

/** Makes the next read set the expected state. */
function forgetState(tracked: TrackedInstance): void {
  tracked.expected = undefined;
  tracked.unverifiedChange = undefined;
  tracked.lastShown = undefined;
  tracked.etag = undefined;
}

function listShownNames(shown: Representation | undefined): string[] {
  return Object.entries(shown?.value ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));
}

// How often to patch concurrently, since a race condition does not show up every time.
const ROUNDS = 4;

/** Patches two properties concurrently without If-Match. If both patches succeed, a read must show both changes. */
export async function* patchConcurrently(scenario: Scenario, tracked: TrackedInstance): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const { patch, read } = lifecycle;
  const isConditional = patch?.operation.parameters.some((parameter) => isIfMatch(parameter) && parameter.isRequired);
  if (!patch || !read || isConditional === true || tools.target.watch) return;
  const patchBodies = createSingleMemberBodies(tools.values, createValidBodies(tools.values, patch.operation));
  yield* readInstance(scenario, tracked);
  for (let round = 0; round < ROUNDS; round++) {
    const before = tracked.lastShown?.value;
    if (!before) return;
    const changingBodies = patchBodies
      .map((body) => instances.freshen(body, tracked.instance))
      .filter(({ value }) =>
        entriesOf(value).some(([name, member]) => name in before && !isSame(before[name], member)),
      );
    const bodiesByName = Map.groupBy(changingBodies, ({ value }) => entriesOf(value)[0]?.[0]);
    const [firstBody, secondBody] = [...bodiesByName.values()].map((bodies) => bodies[0]);
    if (!firstBody || !secondBody) return;
    const patchResults = await Promise.all(
      [firstBody, secondBody].map((body) =>
        callOnInstance(scenario, patch, tracked, { ...body, label: 'change it, two concurrently' }),
      ),
    );
    yield* patchResults;
    const areAllCompleted = patchResults.every((result) => isCompleted(conclusiveReplyOf(result)));
    const readAgain = async (): Promise<CaseResult[]> => {
      forgetState(tracked);
      return Array.fromAsync(readInstance(scenario, tracked));
    };
    const isAsBefore = ({ value }: ValidBody): boolean =>
      entriesOf(value).some(([name]) => isSame(tracked.lastShown?.value[name], before[name]));
    const reads = await readAgain();
    const ineffectiveBodies = areAllCompleted ? [firstBody, secondBody].filter(isAsBefore) : [];
    const lostNames: string[] = [];
    const results: CaseResult[] = [];
    // A server may read the new value as the old one, so a change is lost only if it takes effect when sent alone.
    for (const body of ineffectiveBodies) {
      const step = { ...body, label: 'change it again, alone' };
      results.push(await callOnInstance(scenario, patch, tracked, step), ...(await readAgain()));
      if (!isAsBefore(body)) lostNames.push(...entriesOf(body.value).map(([name]) => name));
    }
    const text = `two concurrent changes succeeded, but that of ${lostNames.join(', ')} is lost`;
    yield* addFindingsAtEnd(scenario, reads, lostNames.length > 0 ? [{ check: 'lost-update', text }] : []);
    yield* results;
    if (ineffectiveBodies.length > 0) return;
  }
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** Checks that at most one of several concurrent POSTs succeeds if a repeated POST gets 409. */
export async function* createConcurrently(
  scenario: Scenario,
  { instance }: TrackedInstance,
): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const { create } = lifecycle;
  const { body } = instance;
  const values = await instances.valuesWithParentIds(create);
  if (!body || !values || create.method === 'PUT' || tools.target.watch) return;
  const send = (sent: ValidBody, label: string): Promise<CaseResult> =>
    sendValid(tools, create, validRequest(values, create, sent), label);
  const duplicateResult = await send(body, 'create the same again');
  yield duplicateResult;
  if (conclusiveReplyOf(duplicateResult)?.status !== 409) return;
  const freshBody = instances.freshen(body, undefined, true);
  const results = await Promise.all(
    Array.from({ length: 4 }, () => send(freshBody, 'create the same, four concurrently')),
  );
  const successes = results.filter((result) => isCompleted(conclusiveReplyOf(result)));
  const text = `${String(successes.length)} concurrent creations of the same resource succeed, although a second one in sequence gets 409`;
  yield* addFindingsAtEnd(scenario, results, successes.length > 1 ? [{ check: 'duplicate-created', text }] : []);
}

// Matches JSON that marks a resource as public, so that other callers may read it and everything below it.
const PUBLIC_MARKER = /"(?:public|shared|everyone|anyone)"|"(?:is_?)?(?:public|shared)":true/i;

/**
 * As another caller, calls each operation that declares 403, using the first caller's instance, and looks for it in the
 * list. Only reads of public resources may succeed. Operations below the instance are called only if the other caller
 * cannot read it.
 */
export async function* callAsOther(
  scenario: Scenario,
  tracked: TrackedInstance,
  actions: readonly LinkedOperation[],
  operationsBelow: readonly LinkedOperation[],
): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  if (tools.target.hasOtherCaller !== true) return;
  const otherCallerScenario: Scenario = { ...scenario, tools: { ...tools, isOtherCaller: true } };
  const { read, patch, replace, remove, list } = lifecycle;
  let isHidden = false;
  const isPublic = [tracked.instance, ...tracked.instance.parents].some(({ exchange, body }) =>
    PUBLIC_MARKER.test(writeJson([body?.value ?? null, jsonBodyOf(exchange.reply) ?? null])),
  );
  for (const linkedOperation of [isPublic ? undefined : read, ...operationsBelow, ...actions, patch, replace, remove]) {
    if (!linkedOperation || !declares403(linkedOperation) || (operationsBelow.includes(linkedOperation) && !isHidden))
      continue;
    const [body] = createValidBodies(tools.values, linkedOperation.operation);
    const step = { ...(body && instances.freshen(body, tracked.instance)), label: 'by another caller' };
    const result = await callOnInstance(otherCallerScenario, linkedOperation, tracked, step);
    const isAccepted = (conclusiveReplyOf(result)?.status ?? 403) < 300;
    isHidden ||= linkedOperation === read && !isAccepted;
    const text = `${linkedOperation.operation.id} succeeds for another caller, with the first caller's resource`;
    yield addFindings(
      scenario,
      { ...result, findings: [] },
      isAccepted ? [{ check: 'object-authorization', text }] : [],
    );
    if (isAccepted && linkedOperation !== read) forgetState(tracked);
    if (isAccepted && linkedOperation === remove) tracked.isDeleted = true;
  }
  const values = list && (await instances.valuesWithParentIds(list.operation));
  if (!values || list.idProperty === undefined || !read || !declares403(read) || tracked.isDeleted || isPublic) return;
  const reads = await readPages({ tools: otherCallerScenario.tools, list, values }, findPageSize(list).maximum);
  const item = reads.items.find((shown) => idOf(list, shown) === toText(tracked.instance.id));
  const text = "another caller's list shows the first caller's resource";
  const results = reads.results.map((result) => ({ ...result, findings: [] }));
  const findings = item === undefined ? [] : [{ check: 'object-authorization', item, text } as const];
  yield* keepFailedResults(tools, { ...reads, results }, findings);
}

function declares403({ operation }: LinkedOperation): boolean {
  return operation.replies.has('403');
}

/** Checks that a second creation with the same Idempotency-Key succeeds without creating another instance. */
export async function* checkIdempotencyKey({ lifecycle, tools, instances }: Scenario): AsyncGenerator<CaseResult> {
  const { create, resource } = lifecycle;
  const hasKey = create.method === 'POST' && create.parameters.some(isIdempotencyKey);
  const values = hasKey ? await instances.valuesWithParentIds(create) : undefined;
  const [body] = createValidBodies(tools.values, create);
  if (!values) return;
  const request = validRequest(values, create, body && instances.freshen(body));
  const label = 'create it, with an Idempotency-Key';
  const first = await sendValid(tools, create, request, label);
  yield first;
  const step = { label: `${label} that was used for the same request`, expect: 'accepted' } as const;
  const second = await sendValid(tools, create, request, step);
  const [id, secondId] = [first, second].map((result) => {
    const reply = conclusiveReplyOf(result);
    return isCompleted(reply) ? findId(resource, { operation: create, request, reply }, tools.target.base) : undefined;
  });
  const isDuplicate = id !== undefined && secondId !== undefined && !isSame(id, secondId);
  const text = `the same request with the same Idempotency-Key has created both ${toText(id ?? '')} and ${toText(secondId ?? '')}`;
  yield addFindings({ tools }, second, isDuplicate ? [{ check: 'idempotency-key', text }] : []);
}
