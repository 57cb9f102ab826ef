// Sends requests at once that must not undo each other, and looks for ids that are given twice.
import type { CaseResult } from '../oracle/checks';
import { validRequest } from '../generators/valid-request';
import { isJsonObject, isSame, toText, type Json, type JsonObject } from '../wire/json';
import { createSingleMemberBodies, createValidBodies, type ValidBody } from './bodies';
import { forget } from './check-changes';
import { isIfMatch, sendValid } from './instance-store';
import {
  callOnInstance,
  isCompleted,
  judgeableReplyOf,
  withFindings,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { createInstance, deleteInstance, readInstance } from './steps';

// A race is won by chance.
const ROUNDS = 4;

/** Patches two properties of an instance at once, without If-Match: if both have success, both must be read. */
export async function patchAtOnce(scenario: Scenario, tracked: TrackedInstance): Promise<CaseResult[]> {
  const { lifecycle, tools, instances } = scenario;
  const { patch, read } = lifecycle;
  const isConditional = patch?.operation.parameters.some((parameter) => isIfMatch(parameter) && parameter.isRequired);
  if (!patch || !read || isConditional === true || tools.target.watch) return [];
  const patches = createSingleMemberBodies(tools.values, createValidBodies(tools.values, patch.operation));
  const results: CaseResult[] = await readInstance(scenario, tracked);
  for (let round = 0; round < ROUNDS; round++) {
    const before: JsonObject | undefined = tracked.lastShown?.value;
    if (!before) return results;
    const changes = patches
      .map((body) => instances.freshen(body))
      .filter(({ value }) => memberOf(value).some(([name, member]) => name in before && !isSame(before[name], member)));
    const ofEachName = Map.groupBy(changes, ({ value }) => memberOf(value)[0]?.[0]);
    const [one, other] = [...ofEachName.values()].map((bodies) => bodies[0]);
    if (!one || !other) return results;
    const sent = await Promise.all(
      [one, other].map(({ bytes, content }) =>
        callOnInstance(scenario, patch, tracked, { label: 'change it, two at once', body: bytes, content }),
      ),
    );
    results.push(...sent);
    forget(tracked);
    const [last, ...others] = (await readInstance(scenario, tracked)).toReversed();
    const shown: JsonObject | undefined = tracked.lastShown?.value;
    if (!last || !shown) return results;
    const lost = [one, other]
      .flatMap(({ value }) => memberOf(value))
      .filter(([name]) => isSame(shown[name], before[name]));
    const areDone = sent.every((result) => isCompleted(judgeableReplyOf(result)));
    const text = `of two changes at once, one is lost: of ${lost.map(([name]) => name).join(', ')}`;
    results.push(...others, withFindings(scenario, last, areDone && lost.length > 0 ? [['update-lost', text]] : []));
    if (areDone && lost.length > 0) return results;
  }
  return results;
}

function memberOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** Where a second creation with the same body is a conflict (409), at most one of several at once may have success. */
export async function createAtOnce(scenario: Scenario, { instance }: TrackedInstance): Promise<CaseResult[]> {
  const { lifecycle, tools, instances } = scenario;
  const { create } = lifecycle;
  const { body } = instance;
  const values = await instances.valuesWithParentIds(create);
  if (!body || !values || tools.target.watch) return [];
  const send = ({ bytes, content }: ValidBody, label: string): Promise<CaseResult> =>
    sendValid(tools, create, validRequest(values, create, { body: bytes, content }), label);
  const again = await send(body, 'makes the same again');
  if (judgeableReplyOf(again)?.status !== 409) return [again];
  const fresh = instances.freshen(body);
  const results = await Promise.all(Array.from({ length: 4 }, () => send(fresh, 'makes the same, four at once')));
  const made = results.filter((result) => isCompleted(judgeableReplyOf(result)));
  const [last] = results.slice(-1);
  const text = `${String(made.length)} creations at once have success, and one after the other the second has 409`;
  return [
    again,
    ...results.slice(0, -1),
    ...(last ? [withFindings(scenario, last, made.length > 1 ? [['duplicate-created', text]] : [])] : []),
  ];
}

/** Creates another one after a deletion: it must not have the id of what was deleted. */
export async function createAfterDeletion(scenario: Scenario): Promise<CaseResult[]> {
  const { created, lifecycle } = scenario;
  if (!lifecycle.remove || lifecycle.resource.isIdChosenByClient) return [];
  const before = created.length;
  const results = await createInstance(scenario);
  const first = created[before];
  if (!first) return results;
  results.push(...(await deleteInstance(scenario, first)), ...(await createInstance(scenario)));
  const second = created[before + 1];
  const last = results.at(-1);
  if (!second || !last || !first.isDeleted) return results;
  const isReused = toText(first.instance.id) === toText(second.instance.id);
  const text = `what is created has the id of what was deleted: ${toText(second.instance.id)}`;
  return [...results.slice(0, -1), withFindings(scenario, last, isReused ? [['id-reused', text]] : [])];
}
