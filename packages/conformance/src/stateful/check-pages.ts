// Compares walks through a list: with pages of other sizes, and with filters.
import { findQueryParameter, CURSOR_NAMES, OFFSET_NAMES, PAGE_NUMBER_NAMES, PAGE_SIZE_NAMES } from '../contract/paging';
import type { Parameter } from '../contract/model';
import { propertiesOf, rulesOf } from '../contract/schema';
import { writeParameter } from '../contract/serialization';
import type { CaseResult } from '../oracle/checks';
import type { Tools } from '../exchange/run-case';
import { fits, type Values } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toText, writeJson, type Json } from '../wire/json';
import { readPages, toPageSize, type ReadItems, type Texts } from './read-pages';
import type { ListOperation } from './resources';
import { withFindings, type FailedCheck } from './scenario';

/** A list, and the values that its requests need. */
export interface ListToCheck {
  readonly tools: Tools;
  readonly list: ListOperation;
  readonly values: Values;
}

/**
 * Finds items that pages of one size lack or have twice, and others have not, pages that are too large, and filters
 * without effect. Others may create and delete meanwhile: what counts is what is found a second time, too.
 */
export async function* checkPages(toCheck: ListToCheck): AsyncGenerator<CaseResult> {
  const { list } = toCheck;
  if (list.idProperty === undefined) return;
  const first = await walkInAllSizes(toCheck);
  const isSound = first.every(({ failedChecks }) => failedChecks.length === 0);
  const second = isSound ? first : await walkInAllSizes(toCheck);
  const confirmed = new Set(second.flatMap(({ failedChecks }) => failedChecks.map(([, text]) => text)));
  for (const { results, failedChecks } of first) {
    const kept = failedChecks.filter(([, text]) => confirmed.has(text)).slice(0, MAX_FINDINGS);
    yield* withFindingsAtEnd(toCheck, results, kept);
  }
  for (const [parameter, value] of filtersOf(list)) {
    const read = await readPages(
      toCheck.tools,
      list,
      toCheck.values,
      new Map([[parameter, writeParameter(parameter, value)]]),
    );
    const others = read.items.filter(
      (item) => isJsonObject(item) && (item[parameter.name] ?? null) !== null && !isSame(item[parameter.name], value),
    );
    const text = `${parameter.name}=${toText(value)} lists what has another ${parameter.name}`;
    yield* withFindingsAtEnd(toCheck, read.results, others.length > 0 ? [['filter-ignored', text]] : []);
  }
}

// More would say the same.
const MAX_FINDINGS = 3;

// Of the pages before the last, only those with findings.
function withFindingsAtEnd(
  { tools }: ListToCheck,
  results: readonly CaseResult[],
  failedChecks: readonly FailedCheck[],
): CaseResult[] {
  return results.flatMap((result, index) => {
    if (index === results.length - 1) return [withFindings({ tools }, result, failedChecks)];
    return result.findings.length > 0 ? [result] : [];
  });
}

interface Walk extends ReadItems {
  /** Such as `pages of 20`. */
  readonly name: string;
  readonly ids: readonly string[];
}

/** Reads the list in pages of the maximum, of the default size and of one item, and compares what they have. */
async function walkInAllSizes({
  tools,
  list,
  values,
}: ListToCheck): Promise<{ results: readonly CaseResult[]; failedChecks: FailedCheck[] }[]> {
  const sizeParameter = findQueryParameter(list.operation, PAGE_SIZE_NAMES);
  const sizes = sizeParameter ? pageSizesOf(values, sizeParameter) : [undefined];
  const walks: (Walk & { readonly failedChecks: FailedCheck[] })[] = [];
  for (const size of sizes) {
    const texts: Texts = sizeParameter ? toPageSize(values, sizeParameter, size) : new Map();
    const read = await readPages(tools, list, values, texts);
    const name = size === undefined ? 'pages of the default size' : `pages of ${toText(size)}`;
    const ids = read.items.flatMap((item) => idOf(list, item) ?? []);
    const isTooLarge = size !== undefined && BigInt(read.largestPage) > BigInt(toText(size));
    const seen = new Set<string>();
    const doubled = ids.filter((id) => seen.size === seen.add(id).size);
    const failedChecks: FailedCheck[] = [
      ...(isTooLarge ? [['page-size', `one of the ${name} has ${String(read.largestPage)} items`] as const] : []),
      ...doubled.map((id) => ['page-doubled', `${id} is twice in ${name}`] as const),
    ];
    const walk = { ...read, name, ids, failedChecks };
    for (const other of walks) failedChecks.push(...findLost(other, walk), ...findLost(walk, other));
    walks.push(walk);
  }
  return walks;
}

// As far as both walks went, what one has and the other lacks.
function findLost(from: Walk, by: Walk): FailedCheck[] {
  const inBoth = new Set(by.ids);
  const end = by.isComplete ? from.ids.length : from.ids.findLastIndex((id) => inBoth.has(id)) + 1;
  return from.ids
    .slice(0, end)
    .filter((id) => !inBoth.has(id))
    .map((id) => ['page-lost', `${id} is in ${from.name}, and not in ${by.name}`]);
}

/** The id of an item as a text; undefined where it has none. */
export function idOf({ idProperty }: ListOperation, item: Json): string | undefined {
  const id = isJsonObject(item) && idProperty !== undefined ? item[idProperty] : undefined;
  return id === undefined ? undefined : toText(id);
}

function pageSizesOf(values: Values, parameter: Parameter): readonly (Json | undefined)[] {
  const [maximum] = rulesOf(parameter.schema, 'maximum');
  const sizes = [maximum?.value ?? 100n, 1n].filter(
    (size) => typeof size === 'bigint' && fits(values, parameter.schema, size),
  );
  return [...sizes.slice(0, 1), undefined, ...sizes.slice(1)];
}

// Each value of an optional query parameter with the name of a property whose values are listed.
function filtersOf({ operation, itemSchema }: ListOperation): (readonly [Parameter, Json])[] {
  const ofPages = [CURSOR_NAMES, OFFSET_NAMES, PAGE_NUMBER_NAMES, PAGE_SIZE_NAMES].map((names) =>
    findQueryParameter(operation, names),
  );
  const properties = propertiesOf(itemSchema);
  return operation.parameters
    .filter((parameter) => parameter.in === 'query' && !parameter.skipReason && !ofPages.includes(parameter))
    .flatMap((parameter) => {
      const property = properties.get(parameter.name);
      const [listed] = rulesOf(parameter.schema, 'enum');
      const [shown] = property ? rulesOf(property, 'enum') : [];
      const isSameEnum =
        listed !== undefined && shown !== undefined && writeJson(listed.value) === writeJson(shown.value);
      return isSameEnum && isJsonList(listed.value) ? listed.value.map((value) => [parameter, value] as const) : [];
    });
}
