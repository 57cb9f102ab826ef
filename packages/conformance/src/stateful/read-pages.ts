// Reads a list page by page.
import type { Parameter } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { bodyOf } from '../oracle/body';
import type { CaseResult } from '../run-case';
import type { Values } from '../values/variant';
import { isJsonList, type Json } from '../wire/json';
import type { ParameterText } from '../wire/parameter';
import type { WireRequest } from '../wire/request';
import { isCompleted, judgeableReplyOf, leaveOutOptional, withTarget, type Journey } from './journey';
import { nextPage, type NextPage } from './paging';
import type { List } from './resources';
import { resolveFragment } from './runtime-expression';
import { sendValid } from './send-valid';

// If a list has more pages, an item that was not found is no finding.
const MAX_PAGES = 40;

export interface ReadItems {
  /** Of the requests, one for each page. */
  readonly results: readonly CaseResult[];
  readonly items: readonly Json[];
  /** Whether these are all items of the list. */
  readonly isComplete: boolean;
}

/** Reads a list until its last page, the first page with an unusual reply, or the largest number of pages. */
export async function readPages(
  { tools }: Journey,
  list: List,
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
    const itemsOfPage = isCompleted(reply) ? resolveFragment(bodyOf(reply), list.itemsPointer) : undefined;
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

// `values.given.places` has the ids of parents by the JSON pointers of their parameters.
function parametersWithIds({ operation }: List, values: Values): ReadonlySet<Parameter> {
  return new Set(operation.parameters.filter(({ pointer }) => values.given.places.has(pointer)));
}

// Without optional parameters, except those for the page. A link has them all itself.
function toPageRequest(
  list: List,
  values: Values,
  page: NextPage,
  pageSize: ReadonlyMap<Parameter, ParameterText>,
): WireRequest {
  const { operation } = list;
  const target = 'target' in page ? page.target : undefined;
  const parameters = 'target' in page ? new Map<Parameter, ParameterText>() : new Map([...pageSize, ...page.texts]);
  const difference = leaveOutOptional(operation, parametersWithIds(list, values), { parameters });
  return withTarget(validRequest(values, operation, difference), target);
}
