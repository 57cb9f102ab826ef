// Checks that lists show created items, no deleted ones, and the same items for every page size.
import { setTimeout as wait } from 'node:timers/promises';
import type { Tools } from '../exchange/run-case';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import {
  findQueryParameter,
  membersOf,
  CURSOR_NAMES,
  OFFSET_NAMES,
  PAGE_NUMBER_NAMES,
  PAGE_SIZE_NAMES,
} from '../contract/paging';
import type { Parameter } from '../contract/model';
import { itemsOf, rulesOf, type Schema } from '../contract/schema';
import { allPropertiesOf } from '../contract/unions';
import { fits } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toText, writeJson, type Json, type JsonObject } from '../wire/json';
import { findDifferences, findRepresentation, type WritableProperties } from './representation';
import type { ListOperation } from './resources';
import { findPageSize, readPages, type PageSource, type ReadItems } from './read-pages';
import { isCompleted, conclusiveReplyOf, addFindingsAtEnd, type Scenario, type TrackedInstance } from './scenario';

const SMALL_PAGE_SIZE = 2n;
// The wait before a second read, since a list may come from a search index that lags behind.
const INDEX_DELAY_MS = 1_000;

/** Checks that created instances are listed exactly once, and deleted ones not at all. */
export async function* checkList(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { lifecycle, instances, created, tools } = scenario;
  const { list, writable } = lifecycle;
  const parent = created.at(-1)?.instance.parents.at(-1);
  const values = list && (await instances.valuesWithParentIds(list.operation, parent));
  if (!list || !values) return;
  const isBelow = ({ instance }: TrackedInstance): boolean =>
    !list.operation.path.includes('{') || instance.parents.at(-1) === parent;
  const source = { tools, list, values };
  const { parameter, maximum } = findPageSize(list);
  const readAll = async (): Promise<CaseResult[]> => {
    // Small pages test pagination, but a list with too many of them is read again in the largest pages.
    const smallPageRead = await readPages(source, SMALL_PAGE_SIZE);
    const read = smallPageRead.isComplete || !parameter ? smallPageRead : await readPages(source, maximum);
    const findings = [
      ...created.filter(isBelow).flatMap((tracked) => checkItemsOf(tracked, read, list, writable)),
      ...findUnexpectedItems(scenario, list, read.items),
    ];
    const last = read.results.at(-1);
    const wasLastPageRead = last !== undefined && isCompleted(conclusiveReplyOf(last));
    return addFindingsAtEnd(scenario, read.results, wasLastPageRead ? findings : [], read.pages);
  };
  const results = await readAll();
  const mayLagBehind = results.some(({ findings }) => findings.some(({ check }) => DELAYED_CHECKS.includes(check)));
  if (mayLagBehind) await wait(INDEX_DELAY_MS);
  yield* mayLagBehind ? await readAll() : results;
}

const DELAYED_CHECKS: readonly CheckName[] = ['created-not-listed', 'deleted-listed'];

// Finds items with values from a refused request, or from a change to another item that is still listed.
function findUnexpectedItems(
  { lifecycle, instances, listedBefore }: Scenario,
  list: ListOperation,
  items: readonly Json[],
): Finding[] {
  const ids = new Set(items.map((item) => idOf(list, item)));
  return items.filter(isJsonObject).flatMap((item): Finding[] => {
    const id = idOf(list, item);
    const texts = Object.entries(item).flatMap(([name, text]) => (lifecycle.writable.has(name) ? [text] : []));
    const sentText = texts
      .map((text) => instances.findSent(lifecycle.resource, text))
      .find((candidate) => candidate !== undefined);
    const isOwn = sentText?.id !== undefined && (toText(sentText.id) === id || !ids.has(toText(sentText.id)));
    if (id === undefined || !sentText || isOwn || listedBefore?.has(id) !== false) return [];
    const source = sentText.id === undefined ? 'a refused request sent' : `a change of ${toText(sentText.id)} sent`;
    return [{ check: 'unexpected-item', item, text: `the list has the item ${id}, with what ${source}` }];
  });
}

function checkItemsOf(
  { instance, expected, lastShown, isDeleted, isGone, isUnknown }: TrackedInstance,
  { items, isComplete }: ReadItems,
  list: ListOperation,
  writable: WritableProperties,
): Finding[] {
  const { idProperty } = list;
  if (isUnknown) return [];
  const id = toText(instance.id);
  // Without ids, equal items may be different instances, so a deleted or duplicate item proves nothing.
  const hasIds = idProperty !== undefined;
  const ownItems = items.filter((item) => {
    if (!isJsonObject(item)) return item === instance.id;
    if (hasIds && item[idProperty] !== undefined) return toText(item[idProperty]) === toText(instance.id);
    return (
      expected !== undefined &&
      findDifferences(expected, findRepresentation(list.itemSchema, item, writable), writable).length === 0
    );
  });
  if (isDeleted)
    return isGone && ownItems.length > 0 && hasIds
      ? [{ check: 'deleted-listed', item: ownItems[0], text: `the deleted resource ${id} is in the list` }]
      : [];
  if (ownItems.length === 0 && isComplete) {
    const isListed = lastShown !== undefined && items.some((item) => isOfSameKind(list, lastShown.value, item));
    return isListed ? [{ check: 'created-not-listed', text: `the created resource ${id} is not in the list` }] : [];
  }
  // A server that chooses ids may give several items the same one, so only ids that a PUT chose count.
  const isDuplicate = hasIds && ownItems.length > 1 && instance.resource.create?.method === 'PUT';
  return isDuplicate
    ? [{ check: 'listed-twice', item: ownItems[1], text: `the resource ${id} is in the list twice` }]
    : [];
}

// A list may leave out items with certain values of an enum or a boolean, such as `status: draft`.
function isOfSameKind({ itemSchema }: ListOperation, shown: JsonObject, item: Json): boolean {
  const kindProperties = [...allPropertiesOf(itemSchema)].filter(
    ([name, schema]) => choicesOf(schema).size > 0 || typeof shown[name] === 'boolean',
  );
  return isJsonObject(item) && kindProperties.every(([name]) => isSame(item[name], shown[name]));
}

/**
 * Compares pages of several sizes, and finds pages that are too large and filters that have no effect. Other
 * clients may create and delete items in the meantime, so page findings count only if they appear twice.
 */
export async function* checkPages(source: PageSource): AsyncGenerator<CaseResult> {
  const { list } = source;
  if (list.idProperty === undefined) return;
  const first = await walkInAllSizes(source);
  const hasNoFindings = first.every(({ findings }) => findings.length === 0);
  const second = hasNoFindings ? first : await walkInAllSizes(source);
  const confirmedTexts = new Set(second.flatMap(({ findings }) => findings.map(({ text }) => text)));
  for (const { findings, ...walk } of first) {
    const confirmedFindings = findings.filter(({ text }) => confirmedTexts.has(text)).slice(0, MAX_FINDINGS);
    yield* keepFailedResults(source.tools, walk, confirmedFindings);
  }
  for (const [name, parameter, value, sent] of findFilters(list)) {
    const read = await readPages(source, undefined, [parameter, sent]);
    const mismatches = read.items.filter(
      (item) => isJsonObject(item) && (item[name] ?? null) !== null && !isSame(item[name], value),
    );
    const text = `${parameter.name}=${toText(value)} lists items with another ${name}`;
    const findings = mismatches.slice(0, 1).map((item): Finding => ({ check: 'filter-ignored', item, text }));
    yield* keepFailedResults(source.tools, read, findings);
  }
}

const MAX_FINDINGS = 3;

type Pages = Pick<ReadItems, 'results' | 'pages'>;

export function keepFailedResults(tools: Tools, { results, pages }: Pages, findings: readonly Finding[]): CaseResult[] {
  const all = addFindingsAtEnd({ tools }, results, findings, pages);
  return all.filter((result, index) => index === all.length - 1 || result.findings.length > 0);
}

interface Walk extends ReadItems {
  readonly name: string;
  readonly ids: readonly string[];
}

async function walkInAllSizes(source: PageSource): Promise<(Pages & { findings: Finding[] })[]> {
  const { list } = source;
  const walks: (Walk & { readonly findings: Finding[] })[] = [];
  const sizes = [...choosePageSizes(source)];
  // Once the list's length is known, the loop adds sizes that leave few items for the last page.
  for (const size of sizes) {
    const read = await readPages(source, size);
    const name = size === undefined ? 'pages of the default size' : `pages of ${toText(size)}`;
    const ids = [...new Set(read.items.flatMap((item) => idOf(list, item) ?? []))];
    const maxPageLength = size === undefined ? Infinity : Number(toText(size));
    const [tooLarge] = read.pages.filter(({ length }) => length > maxPageLength);
    const tooManyItemsText = `a page has ${String(tooLarge?.length)} items, in ${name}`;
    const findings: Finding[] = [
      ...(tooLarge ? [{ check: 'pagination-limit', item: tooLarge[0], text: tooManyItemsText } as const] : []),
      ...findDuplicates(list, read.items).map((item): Finding => {
        const text = `the item ${String(idOf(list, item))} occurs twice in ${name}`;
        return { check: 'pagination-duplicate', item, text };
      }),
    ];
    const walk = { ...read, name, ids, findings };
    for (const oldWalk of walks) findings.push(...findMissingItems(oldWalk, walk), ...findMissingItems(walk, oldWalk));
    walks.push(walk);
    if (walks.length === 1 && read.isComplete) sizes.push(...findSizesWithShortLastPage(source, read.items.length));
  }
  return walks;
}

// Compares whole items, since a service may give different items the same id.
function findDuplicates(list: ListOperation, items: readonly Json[]): Json[] {
  const seenItems = new Set<string>();
  return items.filter(
    (item) => seenItems.size === seenItems.add(writeJson(item)).size && idOf(list, item) !== undefined,
  );
}

// Compares only the part of the list that both walks read.
function findMissingItems(from: Walk, to: Walk): Finding[] {
  const otherIds = new Set(to.ids);
  const comparedLength = to.isComplete ? from.ids.length : from.ids.findLastIndex((id) => otherIds.has(id)) + 1;
  return from.ids
    .slice(0, comparedLength)
    .filter((id) => !otherIds.has(id))
    .map((id) => ({ check: 'pagination-missing', text: `the item ${id} is in ${from.name}, but not in ${to.name}` }));
}

export function idOf({ idProperty }: ListOperation, item: Json): string | undefined {
  const id = isJsonObject(item) && idProperty !== undefined ? item[idProperty] : undefined;
  return id === undefined ? undefined : toText(id);
}

function choosePageSizes({ list, values }: PageSource): readonly (Json | undefined)[] {
  const { parameter, maximum = 100n } = findPageSize(list);
  if (!parameter) return [undefined];
  const sizes = [maximum, 1n].filter((size) => typeof size === 'bigint' && fits(values, parameter.schema, size));
  // Without a declared default, a list need not be paginated unless the request has a page size.
  const defaultSizes = rulesOf(parameter.schema, 'default').length > 0 ? [undefined] : [];
  return [...sizes.slice(0, 1), ...defaultSizes, ...sizes.slice(1)];
}

// The lengths of the last page to test, since some servers omit a short one.
const LAST_PAGE_LENGTHS = [1, 2, 3];
const MAX_PAGE_COUNT = 30;

function findSizesWithShortLastPage({ list, values }: PageSource, length: number): Json[] {
  const { parameter } = findPageSize(list);
  if (!parameter) return [];
  const smallestSize = Math.max(2, Math.ceil(length / MAX_PAGE_COUNT));
  const candidates = Array.from({ length }, (_unused, index) => smallestSize + index);
  return LAST_PAGE_LENGTHS.flatMap((rest) => {
    const size = candidates.find((candidate) => candidate > rest && length % candidate === rest);
    return size !== undefined && fits(values, parameter.schema, BigInt(size)) ? [BigInt(size)] : [];
  });
}

// Finds query parameters whose name and enum match those of an item's property, and each of their values.
function findFilters({
  operation,
  itemSchema,
}: ListOperation): (readonly [name: string, Parameter, value: Json, sent: Json])[] {
  const pageParameters = [CURSOR_NAMES, OFFSET_NAMES, PAGE_NUMBER_NAMES, PAGE_SIZE_NAMES].map((names) =>
    findQueryParameter(operation, names),
  );
  const properties = allPropertiesOf(itemSchema);
  return operation.parameters
    .filter((parameter) => parameter.in === 'query' && !parameter.skipReason && !pageParameters.includes(parameter))
    .flatMap(membersOf)
    .flatMap((parameter) => {
      const name = /\[(.+)\]$/.exec(parameter.name)?.[1] ?? parameter.name;
      const property = properties.get(name);
      const listItemSchema = itemsOf(parameter.schema);
      const choices = choicesOf(listItemSchema ?? parameter.schema);
      const isSameEnum = property && isSame([...choicesOf(property).keys()].toSorted(), [...choices.keys()].toSorted());
      const values = isSameEnum ? [...choices.values()] : [];
      return values.map((value) => [name, parameter, value, listItemSchema ? [value] : value] as const);
    });
}

/** The values of enum and const, which may be spread over several alternatives, keyed by their JSON. */
function choicesOf(schema: Schema): Map<string, Json> {
  const rules = [...rulesOf(schema, 'enum'), ...rulesOf(schema, 'const')].map(({ value }) => value);
  return new Map(rules.flatMap((rule) => (isJsonList(rule) ? rule : [rule])).map((value) => [writeJson(value), value]));
}
