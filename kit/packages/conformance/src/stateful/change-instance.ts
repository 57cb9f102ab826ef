// Scenario steps that replace or patch an instance.
import type { CaseResult } from '../oracle/checks';
import { essenceOf } from '../wire/media-type';
import { isJsonObject, objectOrEmpty, isSame, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { createSingleMemberBodies, createValidBodies, type ValidBody } from './bodies';
import { OTHER_TAG } from './check-conditions';
import { expectationOf, setChosenId, isIfMatch } from './instance-store';
import {
  callOnInstance,
  isCompleted,
  conclusiveReplyOf,
  addFindings,
  type Scenario,
  type Step,
  type TrackedInstance,
} from './scenario';
import type { LinkedOperation } from './links';
import { mergePatch, readRepresentation, unwrapEnvelope } from './representation';
import { idShownBy, readMissingEtag } from './steps';

const VERBS: Readonly<Record<string, string>> = { PUT: 'replace', PATCH: 'change', DELETE: 'delete' };

/** Changes the instance and records its expected state. Sends nothing for a deleted one, or without an operation. */
export async function* updateInstance(
  scenario: Scenario,
  tracked: TrackedInstance,
  linkedOperation: LinkedOperation | undefined,
  givenBody?: ValidBody,
): AsyncGenerator<CaseResult> {
  if (!linkedOperation || tracked.isDeleted || tracked.isUnknown) return;
  yield* readMissingEtag(scenario, tracked, linkedOperation);
  const { method } = linkedOperation.operation;
  const chosenBody = givenBody
    ? scenario.instances.freshen(givenBody, tracked.instance)
    : chooseChange(scenario, tracked, linkedOperation, 0);
  const step = { label: `${VERBS[method] ?? 'change'} it`, ifMatch: tracked.etag, expect: expectationOf(chosenBody) };
  const { body, result } = yield* sendChange(scenario, linkedOperation, tracked, { chosenBody, step });
  const reply = conclusiveReplyOf(result);
  if (isCompleted(reply)) rememberChange(scenario, linkedOperation, tracked, { body, reply });
  const isCreatedAgain = method === 'PUT' && reply?.status === 201 && tracked.lastShown !== undefined;
  yield addFindings(
    scenario,
    result,
    isCreatedAgain
      ? [{ check: 'put-status', text: `PUT answers 201, although it has changed ${toText(tracked.instance.id)}` }]
      : [],
  );
}

/** Sends a change, and again with fresh values after a 409, which means that a value is taken. */
async function* sendChange(
  scenario: Scenario,
  linkedOperation: LinkedOperation,
  tracked: TrackedInstance,
  { chosenBody, step }: { readonly chosenBody: ValidBody | undefined; readonly step: Step },
): AsyncGenerator<CaseResult, { readonly body: ValidBody | undefined; readonly result: CaseResult }> {
  const result = await callOnInstance(scenario, linkedOperation, tracked, { ...chosenBody, ...step });
  if (!chosenBody || conclusiveReplyOf(result)?.status !== 409) return { body: chosenBody, result };
  yield result;
  const body = scenario.instances.freshen(chosenBody, tracked.instance, true);
  return { body, result: await callOnInstance(scenario, linkedOperation, tracked, { ...body, ...step }) };
}

const FALSE_CONDITIONS = {
  'no If-Match': ['without If-Match', 'if-match', 'if-match-not-required'],
  'old If-Match': ['with an old If-Match', 'if-match', 'if-match-ignored'],
  'If-None-Match': ['with If-None-Match: *', 'if-none-match', 'if-none-match-ignored'],
} as const;

/**
 * Tries to change or delete an instance under a false condition, which the server must refuse. Sends nothing if the
 * server may accept the request or no entity tag is known.
 */
export async function* changeOnFalseCondition(
  scenario: Scenario,
  tracked: TrackedInstance,
  linkedOperation: LinkedOperation | undefined,
  condition: keyof typeof FALSE_CONDITIONS,
): AsyncGenerator<CaseResult> {
  const [conditionText, name, check] = FALSE_CONDITIONS[condition];
  const parameter = linkedOperation?.operation.parameters.find(
    (candidate) => candidate.in === 'header' && candidate.name.toLowerCase() === name,
  );
  if (!linkedOperation || !parameter || tracked.isDeleted || tracked.isUnknown) return;
  const { method, replies } = linkedOperation.operation;
  // A case of the class `parameter` already leaves out a required If-Match.
  if (condition === 'no If-Match' && (parameter.isRequired || !replies.has('428'))) return;
  yield* readMissingEtag(scenario, tracked, linkedOperation);
  const { etag } = tracked;
  const oldEtag = tracked.oldEtags.find((old) => old !== etag) ?? OTHER_TAG;
  if (condition === 'old If-Match' && etag === undefined) return;
  // `updateInstance` sends body 0, and body 2 usually differs from it.
  const chosenBody = chooseChange(scenario, tracked, linkedOperation, 2);
  const [ifMatch, reason] = {
    'no If-Match': [undefined, 'the contract declares 428'],
    'old If-Match': [oldEtag, `ETag is ${String(etag)} and not ${oldEtag}`],
    'If-None-Match': [etag, 'the resource exists'],
  }[condition] as [string | undefined, string];
  const step: Step = {
    label: `${VERBS[method] ?? 'change'} it ${conditionText}`,
    ifMatch,
    ...(condition === 'If-None-Match' && { parameters: new Map([[parameter, ['*']]]) }),
  };
  const { result } = yield* sendChange(scenario, linkedOperation, tracked, { chosenBody, step });
  const reply = conclusiveReplyOf(result);
  const isAccepted = reply !== undefined && reply.status < 300;
  if (isAccepted) {
    // The server made the change, so the expected state is unknown until the next read.
    tracked.expected = undefined;
    tracked.etag = undefined;
    if (method === 'DELETE') tracked.isDeleted = true;
  }
  const text = `the change is accepted ${conditionText}, although ${reason}`;
  yield addFindings(scenario, result, isAccepted ? [{ check, text }] : []);
}

/** Tries to change a deleted instance. Sends its last entity tag, as a server may require `If-Match` to answer 404. */
export async function* changeDeleted(
  scenario: Scenario,
  tracked: TrackedInstance,
  linkedOperation: LinkedOperation | undefined,
): AsyncGenerator<CaseResult> {
  if (!tracked.isDeleted || !linkedOperation?.operation.parameters.some(isIfMatch)) return;
  const body = chooseChange(scenario, tracked, linkedOperation, 0);
  const label = `${VERBS[linkedOperation.operation.method] ?? 'change'} it after its deletion`;
  const result = await callOnInstance(scenario, linkedOperation, tracked, { ...body, label, ifMatch: tracked.etag });
  if (isCompleted(conclusiveReplyOf(result))) tracked.isDeleted = false;
  yield result;
}

function rememberChange(
  { lifecycle: { writable, resource }, instances }: Scenario,
  linkedOperation: LinkedOperation,
  tracked: TrackedInstance,
  { body, reply }: { readonly body: ValidBody | undefined; readonly reply: WireReply },
): void {
  const { expected, etag, instance, lastShown: lastRepresentation } = tracked;
  const { method } = linkedOperation.operation;
  const shown = readRepresentation(linkedOperation.operation, reply, writable);
  const shownId = shown && idShownBy(shown, resource);
  tracked.isUnknown = shownId !== undefined && shownId !== toText(instance.id);
  instances.recordSent(resource, body, instance.id);
  const isMergePatch =
    method === 'PATCH' && essenceOf(body?.content.mediaType ?? '') === 'application/merge-patch+json';
  const value = body?.value;
  const members = unwrapEnvelope(value, writable);
  tracked.unverifiedChange = {
    before: lastRepresentation,
    shown,
    isReplacement: method === 'PUT',
    isMergePatch,
    patchedNames: method === 'PATCH' && isJsonObject(value) ? new Set(Object.keys(members)) : undefined,
  };
  if (method !== 'PATCH') tracked.expected = members;
  else if (isMergePatch) tracked.expected = expected && objectOrEmpty(mergePatch(expected, members));
  // Any other JSON object contains the changed properties. The effect of a JSON Patch, for example, is unknown.
  else tracked.expected = expected && isJsonObject(value) ? { ...expected, ...members } : undefined;
  if (etag !== undefined) tracked.oldEtags.push(etag);
  [tracked.etag] = valuesOf(reply, 'etag');
  tracked.newEtag = method === 'PUT' ? tracked.etag : undefined;
}

/** Chooses a body that changes at least one property and keeps the id, or the first body if none does. */
function chooseChange(
  { tools, lifecycle, instances }: Scenario,
  { instance, expected }: TrackedInstance,
  { operation }: LinkedOperation,
  bodyNumber: number,
): ValidBody | undefined {
  const { writable, resource } = lifecycle;
  const wholeBodies = createValidBodies(tools.values, operation).map((body) => setChosenId(body, instance));
  // Prefers patches with one property, since a patch must keep all others.
  const patchBodies = operation.method === 'PATCH' ? createSingleMemberBodies(tools.values, wholeBodies) : [];
  const bodies = patchBodies.length > 0 ? patchBodies : wholeBodies;
  const countMembers = ({ value }: ValidBody): number => Object.keys(unwrapEnvelope(value, writable)).length;
  const changingBodies = bodies
    .filter(({ value }) => {
      const members = unwrapEnvelope(value, writable);
      const id = idShownBy({ value: members }, resource);
      // Another id would give the instance another path.
      if (id !== undefined && id !== toText(instance.id)) return false;
      const changeableNames = Object.keys({ ...(operation.method === 'PUT' && expected), ...members });
      return changeableNames.some((name) => !isSame(expected?.[name], members[name]));
    })
    .toSorted((left, right) => countMembers(left) - countMembers(right));
  const chosenBody = changingBodies.length > 0 ? changingBodies[bodyNumber % changingBodies.length] : bodies[0];
  return chosenBody && instances.freshen(chosenBody, instance);
}
