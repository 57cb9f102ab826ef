// Reads all pages of a list, and checks that it has what was created and lacks what was deleted.
import type { CaseResult } from '../oracle/checks';
import type { Parameter, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import { isJsonObject, toText, isJsonList, type Json, type JsonObject } from '../wire/json';
import { writeParameter, type ParameterText } from '../contract/serialization';
import {
  isCompleted,
  judgeableReplyOf,
  withFindings,
  omitOptionalParameters,
  withTarget,
  type FailedCheck,
  type Scenario,
  type TrackedInstance,
} from './scenario';
import { findDifferences, findRepresentation, type Writable } from './representation';
import type { ListOperation } from './resources';
import { validRequest } from '../generators/valid-request';
import { jsonBodyOf } from '../oracle/body';
import type { WireRequest } from '../wire/request';
import { resolveFragment } from './runtime-expression';
import { sendValid } from './instance-store';
import { rulesOf } from '../contract/schema';
import { valuesOf, type WireReply } from '../wire/reply';
import { toTargetBelow } from './find-id';
import { normalizeName } from './names';

const SMALL_PAGE = 2n;

/** What was created must be in the list once, what was deleted must not; findings are added to the last result. */
export async function checkList(scenario: Scenario): Promise<CaseResult[]> {
  const { lifecycle, instances } = scenario;
  const { list } = lifecycle;
  const values = list && (await instances.valuesWithParentIds(list.operation));
  if (!list || !values) return [];
  const sizeParameter = findQueryParameter(list.operation, PAGE_SIZE_NAMES);
  const readPagesOf = (size: Json | undefined): Promise<ReadItems> =>
    readPages(scenario, list, values, sizeParameter && toPageSize(values, sizeParameter, size));
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
}

// Returns an empty map if the schema does not allow that size.
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
  if (ownItems.length === 0) return isComplete ? [['list-complete', 'what was created is not in the list']] : [];
  if (ownItems.length > 1 && hasIds) return [['list-complete', 'what was created is in the list twice']];
  const [item] = ownItems;
  if (!isJsonObject(item) || !expected) return [];
  // A list may omit properties of its items.
  const { value: shownValues } = findRepresentation(list.itemSchema, item, writable);
  const listed = Object.entries(expected).filter(([name]) => shownValues[name] !== undefined);
  const differences = findItemDifferences(Object.fromEntries(listed), item, list, writable);
  return differences.map((text) => ['list-complete', text]);
}

function findItemDifferences(
  sent: JsonObject,
  item: JsonObject,
  { itemSchema }: ListOperation,
  writable: Writable,
): string[] {
  return findDifferences(sent, findRepresentation(itemSchema, item, writable), writable);
}

// If a list has more pages, an item that was not found is no finding.
const MAX_PAGES = 40;

interface ReadItems {
  /** The results of the requests, one for each page. */
  readonly results: readonly CaseResult[];
  readonly items: readonly Json[];
  /** Whether these are all items of the list. */
  readonly isComplete: boolean;
}

/** Reads a list until its last page, the first page with an unusual reply, or the largest number of pages. */
async function readPages(
  { tools }: Scenario,
  list: ListOperation,
  values: Values,
  pageSize: ReadonlyMap<Parameter, ParameterText> = new Map(),
): Promise<ReadItems> {
  const { operation } = list;
  const results: CaseResult[] = [];
  const items: Json[] = [];
  let page: NextPage | undefined = { texts: new Map() };
  while (page && results.length < MAX_PAGES) {
    const label = results.length === 0 ? 'list what is there' : 'the next page';
    const result: CaseResult = await sendValid(tools, operation, toPageRequest(list, values, page, pageSize), label);
    results.push(result);
    const reply = judgeableReplyOf(result);
    const itemsOfPage = isCompleted(reply) ? resolveFragment(jsonBodyOf(reply), list.itemsPointer) : undefined;
    if (!reply || !isJsonList(itemsOfPage)) return { results, items, isComplete: false };
    items.push(...itemsOfPage);
    const { target } = result.case.request;
    page = nextPage(list, reply, { base: tools.target.base, target, items: items.length, pages: results.length });
  }
  // The value of a required query parameter is made up, and may filter the list.
  const withIds = parametersWithIds(list, values);
  const isFiltered = operation.parameters.some(
    (parameter) => parameter.in === 'query' && parameter.isRequired && !withIds.has(parameter),
  );
  return { results, items, isComplete: page === undefined && !isFiltered };
}

// `values.fixtures.places` has the ids of parents by the JSON pointers of their parameters.
function parametersWithIds({ operation }: ListOperation, values: Values): ReadonlySet<Parameter> {
  return new Set(operation.parameters.filter(({ pointer }) => values.fixtures.places.has(pointer)));
}

// Without optional parameters, except those for the page. A link has them all itself.
function toPageRequest(
  list: ListOperation,
  values: Values,
  page: NextPage,
  pageSize: ReadonlyMap<Parameter, ParameterText>,
): WireRequest {
  const { operation } = list;
  const target = 'target' in page ? page.target : undefined;
  const parameters = 'target' in page ? new Map<Parameter, ParameterText>() : new Map([...pageSize, ...page.texts]);
  const difference = omitOptionalParameters(operation, parametersWithIds(list, values), { parameters });
  return withTarget(validRequest(values, operation, difference), target);
}

/** How to request the next page: by a whole target (path and query), or by other values of parameters. */
type NextPage = { readonly target: string } | { readonly texts: ReadonlyMap<Parameter, ParameterText> };

// Usual names of query parameters for the page size, a cursor, the offset of the first item, and the page number.
const PAGE_SIZE_NAMES = /^(?:limit|per page|page size|size|page limit|first|count|top|max results|max)$/;
const CURSOR_NAMES =
  /^(?:cursor|after|page token|next token|starting after|continuation token|continue|next|marker|page cursor)$/;
const OFFSET_NAMES = /^(?:offset|skip|start|start index)$/;
const PAGE_NUMBER_NAMES = /^(?:page|page number)$/;
// Usual names of the property of a reply that has a link or cursor to the next page.
const NEXT_PROPERTY_NAMES =
  /^(?:next|next page|next url|next link|next cursor|next token|next page token|cursor|end cursor|after)$/;

// An absolute URL, a path, or a query; other texts are cursors.
const LINK_START = /^(?:https?:\/\/|\/|\?)/;

/** How far a list was read: the numbers of items and pages so far. */
interface Progress {
  readonly base: URL;
  /** Path and query of the latest request. */
  readonly target: string;
  readonly items: number;
  readonly pages: number;
}

/** By a Link header, a link or cursor in the body, an offset or a page number; undefined after the last page. */
export function nextPage(
  { operation, itemsPointer }: ListOperation,
  reply: WireReply,
  progress: Progress,
): NextPage | undefined {
  const [linkHeader] = valuesOf(reply, 'link').flatMap((value) => readNextLinks(value));
  if (linkHeader !== undefined) return byLink(linkHeader, progress);
  const body = jsonBodyOf(reply);
  const nextText = findNextText(body);
  if (nextText !== undefined && LINK_START.test(nextText)) return byLink(nextText, progress);
  const cursor = findQueryParameter(operation, CURSOR_NAMES);
  // The last page has no cursor to a next one.
  if (cursor) return nextText === undefined ? undefined : byParameter(cursor, nextText);
  const page = resolveFragment(body, itemsPointer);
  if (!isJsonList(page) || page.length === 0) return undefined;
  const offset = findQueryParameter(operation, OFFSET_NAMES);
  if (offset) return byParameter(offset, BigInt(progress.items));
  const pageNumber = findQueryParameter(operation, PAGE_NUMBER_NAMES);
  return pageNumber && byParameter(pageNumber, BigInt(progress.pages) + firstPageNumberOf(pageNumber));
}

function byLink(link: string, { base, target: requestTarget }: Progress): NextPage | undefined {
  const target = toTargetBelow(base, link, requestTarget);
  return target === undefined ? undefined : { target };
}

function byParameter(parameter: Parameter, value: Json): NextPage {
  return { texts: new Map([[parameter, writeParameter(parameter, value)]]) };
}

function firstPageNumberOf({ schema }: Parameter): bigint {
  const [rule] = [...rulesOf(schema, 'default'), ...rulesOf(schema, 'minimum')];
  return rule?.value === 0n ? 0n : 1n;
}

// Not one that no value can be made for (`skipReason`).
function findQueryParameter({ parameters }: Operation, names: RegExp): Parameter | undefined {
  const candidates = parameters.filter((parameter) => parameter.in === 'query' && parameter.skipReason === undefined);
  // The text after the last bracket is for `page[after]`; normalizeName drops signs, so that `$top` matches `top`.
  return candidates.find(
    ({ name }) => names.test(normalizeName(name)) || names.test(normalizeName(name.split('[').at(-1) ?? '')),
  );
}

// The value of a property such as `next` or `next_cursor`, in the body or in an object of it, or of `href` in such a
// property.
function findNextText(body: Json | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const members = Object.entries(body);
  const innerMembers = members.flatMap(([, member]) => (isJsonObject(member) ? Object.entries(member) : []));
  const [found] = [...members, ...innerMembers].filter(
    ([name, value]) => NEXT_PROPERTY_NAMES.test(normalizeName(name)) && (value ?? '') !== '',
  );
  const next = found?.[1];
  if (isJsonObject(next)) return typeof next['href'] === 'string' ? next['href'] : undefined;
  return typeof next === 'string' || typeof next === 'bigint' ? toText(next) : undefined;
}

// RFC 8288 section 3: `['/books?page=2']` for `</books?page=2>; rel="next"`.
function readNextLinks(header: string): string[] {
  // Only a comma before `<` separates links; others are part of a URL or text.
  return header.split(/,(?=\s*<)/).flatMap((link) => {
    const end = link.indexOf('>');
    const parameters = link
      .slice(end + 1)
      .split(';')
      .map((parameter) => parameter.split('=', 2).map((text) => text.trim().replaceAll('"', '').toLowerCase()));
    // One `rel` may have several relations: `rel="prev next"`.
    const relations = parameters.filter(([name]) => name === 'rel').flatMap(([, value = '']) => value.split(/\s+/));
    return relations.includes('next') ? [link.slice(link.indexOf('<') + 1, end)] : [];
  });
}
