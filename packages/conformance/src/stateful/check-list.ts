// Reads all pages of a list, and checks that it has what was created and lacks what was deleted.
import { setTimeout as wait } from 'node:timers/promises';
import type { CaseResult } from '../oracle/checks';
import { findQueryParameter, PAGE_SIZE_NAMES } from '../contract/paging';
import { isJsonObject, isSame, toText, type Json, type JsonObject } from '../wire/json';
import { isCompleted, judgeableReplyOf, withFindings } from './scenario';
import type { FailedCheck, Scenario, TrackedInstance } from './scenario';
import { findDifferences, findRepresentation, type Writable } from './representation';
import type { ListOperation } from './resources';
import { propertiesOf, rulesOf } from '../contract/schema';
import { readPages, toPageSize, type ReadItems } from './read-pages';

const SMALL_PAGE = 2n;
// A list may come from an index that is behind.
const MAX_DELAY = 1_000;

/** What was created must be in the list once, what was deleted must not; findings are added to the last result. */
export async function checkList(scenario: Scenario): Promise<CaseResult[]> {
  const { lifecycle, instances } = scenario;
  const { list } = lifecycle;
  const values = list && (await instances.valuesWithParentIds(list.operation));
  if (!list || !values) return [];
  const sizeParameter = findQueryParameter(list.operation, PAGE_SIZE_NAMES);
  const readPagesOf = (size: Json | undefined): Promise<ReadItems> =>
    readPages(scenario.tools, list, values, sizeParameter && toPageSize(values, sizeParameter, size));
  const readAll = async (): Promise<CaseResult[]> => {
    // Small pages test paging. If the list has too many of them, try the largest ones.
    const inSmallPages = await readPagesOf(SMALL_PAGE);
    const read =
      inSmallPages.isComplete || !sizeParameter
        ? inSmallPages
        : await readPagesOf(rulesOf(sizeParameter.schema, 'maximum')[0]?.value);
    const last = read.results.at(-1);
    if (!last || !isCompleted(judgeableReplyOf(last))) return [...read.results];
    const failedChecks = scenario.created.flatMap((tracked) => checkItemsOf(tracked, read, list, lifecycle.writable));
    return [...read.results.slice(0, -1), withFindings(scenario, last, failedChecks)];
  };
  const results = await readAll();
  if (!results.at(-1)?.findings.some(({ check }) => check === 'created-unlisted')) return results;
  await wait(MAX_DELAY);
  return readAll();
}

function checkItemsOf(
  { instance, expected, lastShown, isDeleted }: TrackedInstance,
  { items, isComplete }: ReadItems,
  list: ListOperation,
  writable: Writable,
): FailedCheck[] {
  const { idProperty } = list;
  // Without an id, equal items may be different instances: then neither one of a deleted instance nor two are wrong.
  const hasIds = idProperty !== undefined;
  const ownItems = items.filter((item) => {
    if (!isJsonObject(item)) return item === instance.id;
    if (hasIds && item[idProperty] !== undefined) return toText(item[idProperty]) === toText(instance.id);
    // An item without an id is recognized by its other values.
    return expected !== undefined && findItemDifferences(expected, item, list, writable).length === 0;
  });
  if (isDeleted) return ownItems.length > 0 && hasIds ? [['list-complete', 'what was deleted is in the list']] : [];
  if (ownItems.length === 0 && isComplete) {
    const isListed = lastShown !== undefined && items.some((item) => isOfSameKind(list, lastShown.value, item));
    return [[isListed ? 'created-unlisted' : 'list-complete', 'what was created is not in the list']];
  }
  if (ownItems.length > 1 && hasIds) return [['list-complete', 'what was created is in the list twice']];
  const [item] = ownItems;
  if (!isJsonObject(item) || !expected) return [];
  // A list may omit properties of its items.
  const { value: shownValues } = findRepresentation(list.itemSchema, item, writable);
  const listed = Object.entries(expected).filter(([name]) => shownValues[name] !== undefined);
  const differences = findItemDifferences(Object.fromEntries(listed), item, list, writable);
  return differences.map((text) => ['list-complete', text]);
}

// Whether no enum or boolean of an item says why another is not in the list, such as `status: draft`.
function isOfSameKind({ itemSchema }: ListOperation, shown: JsonObject, item: Json): boolean {
  const kinds = [...propertiesOf(itemSchema)].filter(
    ([name, schema]) => rulesOf(schema, 'enum').length > 0 || typeof shown[name] === 'boolean',
  );
  return isJsonObject(item) && kinds.every(([name]) => isSame(item[name], shown[name]));
}

function findItemDifferences(
  sent: JsonObject,
  item: JsonObject,
  { itemSchema }: ListOperation,
  writable: Writable,
): string[] {
  return findDifferences(sent, findRepresentation(itemSchema, item, writable), writable);
}
