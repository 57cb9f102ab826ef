// Reads all pages of a list, and checks that it has what was created and lacks what was deleted.
import type { Parameter } from '../contract/model';
import type { CaseResult } from '../run-case';
import { fits, type Values } from '../values/variant';
import { isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';
import {
  isCompleted,
  judgeableReplyOf,
  withFindings,
  type FailedCheck,
  type Journey,
  type TrackedInstance,
} from './journey';
import { largestPageSizeOf, pageSizeParameterOf } from './paging';
import { readPages, type ReadItems } from './read-pages';
import { findDifferences, findRepresentation, type Writable } from './representation';
import type { List } from './resources';

const SMALL_PAGE = 2n;

/** What was created must be in the list once, what was deleted must not; findings are added to the last result. */
export async function checkList(journey: Journey): Promise<CaseResult[]> {
  const { lifecycle, instances } = journey;
  const { list } = lifecycle;
  const values = list && (await instances.valuesWithParentIds(list.operation));
  if (!list || !values) return [];
  const sizeParameter = pageSizeParameterOf(list);
  const readPagesOf = (size: Json | undefined): Promise<ReadItems> =>
    readPages(journey, list, values, sizeParameter && toPageSize(values, sizeParameter, size));
  // Small pages test paging. If the list has too many of them, try the largest ones.
  const inSmallPages = await readPagesOf(SMALL_PAGE);
  const read =
    inSmallPages.isComplete || !sizeParameter ? inSmallPages : await readPagesOf(largestPageSizeOf(sizeParameter));
  const last = read.results.at(-1);
  if (!last || !isCompleted(judgeableReplyOf(last))) return [...read.results];
  const failedChecks = journey.created.flatMap((tracked) => checkItemsOf(tracked, read, list, lifecycle.writable));
  return [...read.results.slice(0, -1), withFindings(journey, last, failedChecks)];
}

// Empty if the schema does not allow that size.
function toPageSize(
  values: Values,
  parameter: Parameter,
  size: Json | undefined,
): ReadonlyMap<Parameter, ParameterText> {
  const isAllowed = size !== undefined && fits(values, parameter.schema, size);
  return new Map(isAllowed ? [[parameter, writeParameter(parameter, size)]] : []);
}

function checkItemsOf(
  { instance, expected, isDeleted }: TrackedInstance,
  { items, isComplete }: ReadItems,
  list: List,
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
  if (isDeleted) return ownItems.length > 0 && hasIds ? [['listed', 'what was deleted is in the list']] : [];
  if (ownItems.length === 0) return isComplete ? [['listed', 'what was created is not in the list']] : [];
  if (ownItems.length > 1 && hasIds) return [['listed', 'what was created is in the list twice']];
  const [item] = ownItems;
  if (!isJsonObject(item) || !expected) return [];
  // A list may omit properties of its items.
  const { value: shownValues } = findRepresentation(list.itemSchema, item, writable);
  const listed = Object.entries(expected).filter(([name]) => shownValues[name] !== undefined);
  const differences = findItemDifferences(Object.fromEntries(listed), item, list, writable);
  return differences.map((text) => ['listed', text]);
}

function findItemDifferences(sent: JsonObject, item: JsonObject, { itemSchema }: List, writable: Writable): string[] {
  return findDifferences(sent, findRepresentation(itemSchema, item, writable), writable);
}
