// Sends requests for an instance with the credentials of another caller.
import type { CaseResult } from '../oracle/checks';
import { findQueryParameter, PAGE_SIZE_NAMES } from '../contract/paging';
import { rulesOf } from '../contract/schema';
import { toText } from '../wire/json';
import { createValidBodies } from './bodies';
import type { LinkedOperation } from './links';
import { readPages, toPageSize } from './read-pages';
import { callOnInstance, judgeableReplyOf, withFindings, type Scenario, type TrackedInstance } from './scenario';
import { forget } from './check-changes';
import { idOf } from './check-pages';

/**
 * Calls each operation that declares 403 on an instance of the first caller, and looks for it in the list: another caller
 * must not have success. Without credentials of another caller, nothing is sent.
 */
export async function callAsOther(
  scenario: Scenario,
  tracked: TrackedInstance,
  actions: readonly LinkedOperation[],
): Promise<CaseResult[]> {
  const { lifecycle, tools, instances } = scenario;
  if (tools.target.hasOtherCaller !== true) return [];
  const other: Scenario = { ...scenario, tools: { ...tools, isOtherCaller: true } };
  const { read, patch, replace, remove, list } = lifecycle;
  const results: CaseResult[] = [];
  for (const linked of [read, ...actions, patch, replace, remove]) {
    if (!linked || !declares403(linked)) continue;
    const [body] = createValidBodies(tools.values, linked.operation);
    const fresh = body && instances.freshen(body);
    const step = { label: 'by another caller', ...(fresh && { body: fresh.bytes, content: fresh.content }) };
    const result = await callOnInstance(other, linked, tracked, step);
    const isAccepted = (judgeableReplyOf(result)?.status ?? 403) < 300;
    const text = `another caller has success with ${linked.operation.id} of what the first created`;
    results.push(withFindings(scenario, { ...result, findings: [] }, isAccepted ? [['foreign-accepted', text]] : []));
    if (isAccepted && linked !== read) forget(tracked);
    if (isAccepted && linked === remove) tracked.isDeleted = true;
  }
  const values = list && (await instances.valuesWithParentIds(list.operation));
  if (!values || list.idProperty === undefined || !read || !declares403(read) || tracked.isDeleted) return results;
  const size = findQueryParameter(list.operation, PAGE_SIZE_NAMES);
  const texts = size && toPageSize(values, size, rulesOf(size.schema, 'maximum')[0]?.value);
  const pages = await readPages(other.tools, list, values, texts);
  const id = toText(tracked.instance.id);
  const isListed = pages.items.some((item) => idOf(list, item) === id);
  const text = 'the list of another caller has what the first created, which declares 403';
  const last = pages.results.at(-1);
  if (last)
    results.push(withFindings(scenario, { ...last, findings: [] }, isListed ? [['foreign-accepted', text]] : []));
  return results;
}

// Without it, the contract does not say that there are callers who may not.
function declares403({ operation }: LinkedOperation): boolean {
  return operation.replies.has('403');
}
