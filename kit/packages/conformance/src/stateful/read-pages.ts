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
import { isCompleted, conclusiveReplyOf, omitOptionalParameters, withTarget } from './scenario';
import type { ListOperation } from './resources';
import { validRequest } from '../generators/valid-request';
import { jsonBodyOf } from '../oracle/body';
import type { WireRequest } from '../wire/request';
import { resolveFragment } from './runtime-expression';
import { sendValid } from './instance-store';
import { rulesOf } from '../contract/schema';
import { allPropertiesOf } from '../contract/unions';
import { valuesOf, type WireReply } from '../wire/reply';
import { resolveTarget } from './find-id';

export interface PageSource {
  readonly tools: Tools;
  readonly list: ListOperation;
  readonly values: Values;
}

export function findPageSize({ operation }: ListOperation): {
  readonly parameter?: Parameter;
  readonly maximum?: Json;
} {
  const parameter = findQueryParameter(operation, PAGE_SIZE_NAMES);
  const [rule] = parameter ? rulesOf(parameter.schema, 'maximum') : [];
  return { ...(parameter && { parameter }), ...(rule && { maximum: rule.value }) };
}

function toPageSize({ list, values }: PageSource, size: Json | undefined): ParameterTexts {
  const { parameter } = findPageSize(list);
  const isAllowed = parameter && size !== undefined && fits(values, parameter.schema, size);
  return isAllowed ? toTextMap(parameter, size) : new Map();
}

type ParameterTexts = ReadonlyMap<Parameter, ParameterText>;

function toTextMap(parameter: Parameter, value: Json): ParameterTexts {
  return new Map([[parameter, writeParameter(parameter, value)]]);
}

// The most pages to read. In a longer list, a missing item is not reported.
const MAX_PAGES = 40;

export interface ReadItems {
  readonly results: readonly CaseResult[];
  /** The items in each result; the last result has no entry if it shows no list. */
  readonly pages: readonly (readonly Json[])[];
  readonly items: readonly Json[];
  /** Whether `items` has every item of the list. */
  readonly isComplete: boolean;
}

/** Stops after the last page, a page with an unusual reply, or the maximum number of pages. */
export async function readPages(
  source: PageSource,
  size: Json | undefined,
  filter?: readonly [Parameter, Json],
): Promise<ReadItems> {
  const { tools, list, values } = source;
  const { operation } = list;
  const commonTexts: ParameterTexts = new Map([...toPageSize(source, size), ...(filter ? toTextMap(...filter) : [])]);
  const results: CaseResult[] = [];
  const pages: (readonly Json[])[] = [];
  const items: Json[] = [];
  let page: NextPage | undefined = { texts: new Map() };
  while (page && results.length < MAX_PAGES) {
    const label = results.length === 0 ? 'read the list' : 'read the next page';
    const result: CaseResult = await sendValid(tools, operation, toPageRequest(list, values, page, commonTexts), label);
    results.push(result);
    const reply = conclusiveReplyOf(result);
    const pageItems = isCompleted(reply) ? resolveFragment(jsonBodyOf(reply), list.itemsPointer) : undefined;
    if (!reply || !isJsonList(pageItems)) return { results, pages, items, isComplete: false };
    pages.push(pageItems);
    items.push(...pageItems);
    const { request } = result.case;
    const progress = { base: tools.target.base, request, items: items.length, pages: results.length };
    const next = findNextPage(list, reply, progress);
    if (next === 'unknown') return { results, pages, items, isComplete: false };
    page = next;
  }
  // A required query parameter has a made-up value, which may filter the list.
  const idParameters = findIdParameters(list, values);
  const isFiltered = operation.parameters.some(
    (parameter) => parameter.in === 'query' && parameter.isRequired && !idParameters.has(parameter),
  );
  return { results, pages, items, isComplete: page === undefined && !isFiltered };
}

// `places` contains parent ids, keyed by the parameter's JSON pointer.
function findIdParameters({ operation }: ListOperation, values: Values): ReadonlySet<Parameter> {
  return new Set(operation.parameters.filter(({ pointer }) => values.fixtures.places.has(pointer)));
}

// A link already contains all parameters. Without one, the only optional ones sent are `common` and the page's.
function toPageRequest(list: ListOperation, values: Values, page: NextPage, common: ParameterTexts): WireRequest {
  const { operation } = list;
  const target = 'target' in page ? page.target : undefined;
  const parameters = 'target' in page ? new Map<Parameter, ParameterText>() : new Map([...common, ...page.texts]);
  const difference = omitOptionalParameters(operation, findIdParameters(list, values), { parameters });
  // A parameter such as `page[size]` is a member of an object parameter, so it is added to the query.
  const query = [...parameters].flatMap(([parameter, text]) => (operation.parameters.includes(parameter) ? [] : text));
  return withTarget(validRequest(values, operation, { ...difference, query }), target);
}

type NextPage = { readonly target: string } | { readonly texts: ParameterTexts };

// Common names for a link or a cursor to the next page.
const NEXT_PROPERTY_NAMES =
  /^(?:next|next page|next url|next link|next cursor|next token|next page token|cursor|end cursor|after)$/;

// Matches an absolute URL, a path or a query. Any other text is a cursor.
const LINK_START = /^(?:https?:\/\/|\/|\?)/;

interface Progress {
  readonly base: URL;
  readonly request: Pick<WireRequest, 'server' | 'target'>;
  readonly items: number;
  readonly pages: number;
}

/** Returns undefined after the last page, and `unknown` if there is a cursor but no known parameter for it. */
export function findNextPage(
  { operation, itemsPointer }: ListOperation,
  reply: WireReply,
  progress: Progress,
): NextPage | 'unknown' | undefined {
  const [linkHeader] = valuesOf(reply, 'link').flatMap((value) => readNextLinks(value));
  if (linkHeader !== undefined) return toLinkedPage(linkHeader, progress);
  const body = jsonBodyOf(reply);
  const nextText = findNextText(body);
  if (nextText !== undefined && LINK_START.test(nextText)) return toLinkedPage(nextText, progress);
  const cursor = findQueryParameter(operation, CURSOR_NAMES);
  if (cursor && nextText !== undefined) return { texts: toTextMap(cursor, nextText) };
  const page = resolveFragment(body, itemsPointer);
  if (!isJsonList(page) || page.length === 0) return undefined;
  // The last page has no cursor. If no page has one, clients have to build cursors themselves, such as offsets.
  if (cursor) return progress.pages > 1 || hasNextName(operation, body) ? undefined : 'unknown';
  const offset = findQueryParameter(operation, OFFSET_NAMES);
  if (offset) return { texts: toTextMap(offset, BigInt(progress.items)) };
  const pageNumber = findQueryParameter(operation, PAGE_NUMBER_NAMES);
  if (pageNumber) return { texts: toTextMap(pageNumber, BigInt(progress.pages) + firstPageNumberOf(pageNumber)) };
  return nextText === undefined ? undefined : 'unknown';
}

function toLinkedPage(link: string, { base, request }: Progress): NextPage | undefined {
  const target = resolveTarget(base, link, request, request.server);
  return target === undefined ? undefined : { target };
}

function firstPageNumberOf({ schema }: Parameter): bigint {
  const [rule] = [...rulesOf(schema, 'default'), ...rulesOf(schema, 'minimum')];
  return rule?.value === 0n ? 0n : 1n;
}

function hasNextName({ replies }: Operation, body: Json | undefined): boolean {
  const { contents = [], headers } = replies.get('200') ?? {};
  const declared = contents.flatMap(({ schema }) => [...allPropertiesOf(schema)]);
  const names = declared.flatMap(([name, schema]) => [name, ...allPropertiesOf(schema).keys()]);
  const allNames = [...names, ...Object.keys(objectOrEmpty(body))];
  return headers?.has('link') === true || allNames.some((name) => NEXT_PROPERTY_NAMES.test(normalizeName(name)));
}

// Finds a value such as `next` or `next_cursor` in the body or in one of its objects, or that value's `href`.
function findNextText(body: Json | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const members = Object.entries(body);
  const innerMembers = members.flatMap(([, member]) => (isJsonObject(member) ? Object.entries(member) : []));
  const [nextMember] = [...members, ...innerMembers].filter(
    ([name, value]) => NEXT_PROPERTY_NAMES.test(normalizeName(name)) && (value ?? '') !== '',
  );
  const next = nextMember?.[1];
  if (isJsonObject(next)) return typeof next['href'] === 'string' ? next['href'] : undefined;
  return typeof next === 'string' || typeof next === 'bigint' ? toText(next) : undefined;
}

// Returns `['/books?page=2']` for `</books?page=2>; rel="next"` (RFC 8288 section 3).
function readNextLinks(header: string): string[] {
  // Only a comma before `<` separates links. Other commas belong to a URL or a quoted string.
  return header.split(/,(?=\s*<)/).flatMap((link) => {
    const end = link.indexOf('>');
    const parameters = link
      .slice(end + 1)
      .split(';')
      .map((parameter) => parameter.split('=', 2).map((text) => text.trim().replaceAll('"', '').toLowerCase()));
    // A `rel` can list several relations: `rel="prev next"`.
    const relations = parameters.filter(([name]) => name === 'rel').flatMap(([, value = '']) => value.split(/\s+/));
    return relations.includes('next') ? [link.slice(link.indexOf('<') + 1, end)] : [];
  });
}
