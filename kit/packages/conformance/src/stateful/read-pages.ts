// Reads the pages of a list.
import type { Tools } from '../exchange/run-case';
import type { CaseResult } from '../oracle/checks';
import type { Operation, Parameter } from '../contract/model';
import {
  CURSOR_NAMES,
  findQueryParameter,
  normalizeName,
  OFFSET_NAMES,
  PAGE_NUMBER_NAMES,
  PAGE_SIZE_NAMES,
} from '../contract/paging';
import { fits, type Values } from '../values/variant';
import { isJsonList, isJsonObject, objectOrEmpty, toText, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../contract/serialization';
import { isCompleted, judgeableReplyOf, omitOptionalParameters, withTarget } from './scenario';
import type { ListOperation } from './resources';
import { validRequest } from '../generators/valid-request';
import { jsonBodyOf } from '../oracle/body';
import type { WireRequest } from '../wire/request';
import { resolveFragment } from './runtime-expression';
import { sendValid } from './instance-store';
import { propertiesOf, rulesOf } from '../contract/schema';
import { valuesOf, type WireReply } from '../wire/reply';
import { toTargetBelow } from './find-id';

/** A list, and the values that its requests need. */
export interface ListToRead {
  readonly tools: Tools;
  readonly list: ListOperation;
  readonly values: Values;
}

/** The parameter for the size of a page, and the largest size that it declares. */
export function findPageSize({ operation }: ListOperation): {
  readonly parameter?: Parameter;
  readonly maximum?: Json;
} {
  const parameter = findQueryParameter(operation, PAGE_SIZE_NAMES);
  const [rule] = parameter ? rulesOf(parameter.schema, 'maximum') : [];
  return { ...(parameter && { parameter }), ...(rule && { maximum: rule.value }) };
}

// Leaves out a size that the schema does not allow.
function toPageSize({ list, values }: ListToRead, size: Json | undefined): Texts {
  const { parameter } = findPageSize(list);
  const isAllowed = parameter && size !== undefined && fits(values, parameter.schema, size);
  return isAllowed ? toTexts(parameter, size) : new Map();
}

/** What is sent for some parameters. */
type Texts = ReadonlyMap<Parameter, ParameterText>;

function toTexts(parameter: Parameter, value: Json): Texts {
  return new Map([[parameter, writeParameter(parameter, value)]]);
}

// If a list has more pages, an item that was not found is no finding.
const MAX_PAGES = 40;

export interface ReadItems {
  /** The results of the requests, one for each page. */
  readonly results: readonly CaseResult[];
  readonly items: readonly Json[];
  readonly largestPage: number;
  /** Whether these are all items of the list. */
  readonly isComplete: boolean;
}

/**
 * Reads a list until its last page, the first page with an unusual reply, or the largest number of pages.
 *
 * @param filter the value of another parameter
 */
export async function readPages(
  toRead: ListToRead,
  size: Json | undefined,
  filter?: readonly [Parameter, Json],
): Promise<ReadItems> {
  const { tools, list, values } = toRead;
  const { operation } = list;
  const common: Texts = new Map([...toPageSize(toRead, size), ...(filter ? toTexts(...filter) : [])]);
  const results: CaseResult[] = [];
  const items: Json[] = [];
  let largestPage = 0;
  let page: NextPage | undefined = { texts: new Map() };
  while (page && results.length < MAX_PAGES) {
    const label = results.length === 0 ? 'read the list' : 'read the next page';
    const result: CaseResult = await sendValid(tools, operation, toPageRequest(list, values, page, common), label);
    results.push(result);
    const reply = judgeableReplyOf(result);
    const itemsOfPage = isCompleted(reply) ? resolveFragment(jsonBodyOf(reply), list.itemsPointer) : undefined;
    if (!reply || !isJsonList(itemsOfPage)) return { results, items, largestPage, isComplete: false };
    largestPage = Math.max(largestPage, itemsOfPage.length);
    items.push(...itemsOfPage);
    const { request } = result.case;
    const progress = { base: tools.target.base, request, items: items.length, pages: results.length };
    const next = nextPage(list, reply, progress);
    if (next === 'unknown') return { results, items, largestPage, isComplete: false };
    page = next;
  }
  // The value of a required query parameter is made up, and may filter the list.
  const withIds = parametersWithIds(list, values);
  const isFiltered = operation.parameters.some(
    (parameter) => parameter.in === 'query' && parameter.isRequired && !withIds.has(parameter),
  );
  return { results, items, largestPage, isComplete: page === undefined && !isFiltered };
}

// `values.fixtures.places` has the ids of parents by the JSON pointers of their parameters.
function parametersWithIds({ operation }: ListOperation, values: Values): ReadonlySet<Parameter> {
  return new Set(operation.parameters.filter(({ pointer }) => values.fixtures.places.has(pointer)));
}

// Without optional parameters, except those for the page. A link has them all itself.
function toPageRequest(list: ListOperation, values: Values, page: NextPage, common: Texts): WireRequest {
  const { operation } = list;
  const target = 'target' in page ? page.target : undefined;
  const parameters = 'target' in page ? new Map<Parameter, ParameterText>() : new Map([...common, ...page.texts]);
  const difference = omitOptionalParameters(operation, parametersWithIds(list, values), { parameters });
  // Those of a member of an object, such as `page[size]`.
  const query = [...parameters].flatMap(([parameter, text]) => (operation.parameters.includes(parameter) ? [] : text));
  return withTarget(validRequest(values, operation, { ...difference, query }), target);
}

/** How to request the next page: by a whole target (path and query), or by other values of parameters. */
type NextPage = { readonly target: string } | { readonly texts: Texts };

// Usual names of the property of a reply that has a link or cursor to the next page.
const NEXT_PROPERTY_NAMES =
  /^(?:next|next page|next url|next link|next cursor|next token|next page token|cursor|end cursor|after)$/;

// An absolute URL, a path, or a query; other texts are cursors.
const LINK_START = /^(?:https?:\/\/|\/|\?)/;

/** How far a list was read: the numbers of items and pages so far. */
interface Progress {
  readonly base: URL;
  /** The latest request. */
  readonly request: Pick<WireRequest, 'server' | 'target'>;
  readonly items: number;
  readonly pages: number;
}

/**
 * By a Link header, a link or cursor in the body, an offset or a page number; undefined after the last page, `unknown` where a
 * cursor is given and no parameter is known that takes it.
 */
export function nextPage(
  { operation, itemsPointer }: ListOperation,
  reply: WireReply,
  progress: Progress,
): NextPage | 'unknown' | undefined {
  const [linkHeader] = valuesOf(reply, 'link').flatMap((value) => readNextLinks(value));
  if (linkHeader !== undefined) return byLink(linkHeader, progress);
  const body = jsonBodyOf(reply);
  const nextText = findNextText(body);
  if (nextText !== undefined && LINK_START.test(nextText)) return byLink(nextText, progress);
  const cursor = findQueryParameter(operation, CURSOR_NAMES);
  if (cursor && nextText !== undefined) return { texts: toTexts(cursor, nextText) };
  const page = resolveFragment(body, itemsPointer);
  if (!isJsonList(page) || page.length === 0) return undefined;
  // The last page has no cursor to a next one; where no page has any, clients make their own, such as an offset.
  if (cursor) return progress.pages > 1 || hasNextName(operation, body) ? undefined : 'unknown';
  const offset = findQueryParameter(operation, OFFSET_NAMES);
  if (offset) return { texts: toTexts(offset, BigInt(progress.items)) };
  const pageNumber = findQueryParameter(operation, PAGE_NUMBER_NAMES);
  if (pageNumber) return { texts: toTexts(pageNumber, BigInt(progress.pages) + firstPageNumberOf(pageNumber)) };
  return nextText === undefined ? undefined : 'unknown';
}

function byLink(link: string, { base, request }: Progress): NextPage | undefined {
  const target = toTargetBelow(base, link, request, request.server);
  return target === undefined ? undefined : { target };
}

function firstPageNumberOf({ schema }: Parameter): bigint {
  const [rule] = [...rulesOf(schema, 'default'), ...rulesOf(schema, 'minimum')];
  return rule?.value === 0n ? 0n : 1n;
}

function hasNextName({ replies }: Operation, body: Json | undefined): boolean {
  const { contents = [], headers } = replies.get('200') ?? {};
  const declared = contents.flatMap(({ schema }) => [...propertiesOf(schema)]);
  const names = declared.flatMap(([name, schema]) => [name, ...propertiesOf(schema).keys()]);
  const all = [...names, ...Object.keys(objectOrEmpty(body))];
  return headers?.has('link') === true || all.some((name) => NEXT_PROPERTY_NAMES.test(normalizeName(name)));
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
