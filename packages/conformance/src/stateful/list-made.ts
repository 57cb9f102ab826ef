// Reads all pages of a list, and checks that it has what was created and lacks what was deleted.
import type { Parameter } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { bodyOf } from '../oracle/body';
import type { CheckName } from '../oracle/checks';
import type { CaseResult } from '../run-case';
import { fits, type Values } from '../values/variant';
import { isJsonList, isJsonObject, toText, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';
import { isDone, withFindings, withoutOptional, replyOf, send, type Journey, type Known } from './journey';
import { largestOf, limitOf, nextPage, type NextPage } from './paging';
import { findDifferences, findRepresentation } from './representation';
import type { List } from './resources';
import { resolveFragment } from './runtime-expression';

// If a list has more pages, an item that was not found is no finding.
const MAX_PAGES = 40;
const SMALL = 2n;

interface Listed {
  readonly results: readonly CaseResult[];
  readonly items: readonly Json[];
  readonly isWhole: boolean;
}

/** Reads a whole list, page by page: what was created must be there once, and what was deleted must not be there. */
export async function checkList(journey: Journey): Promise<CaseResult[]> {
  const { lifecycle, things } = journey;
  const values = lifecycle.list && (await things.valuesFor(lifecycle.list.operation));
  if (!lifecycle.list || !values) return [];
  const limit = limitOf(lifecycle.list);
  const firstTry = await listPages(journey, lifecycle.list, values, limit && toLimit(values, limit, SMALL));
  const { results, items, isWhole } =
    firstTry.isWhole || !limit
      ? firstTry
      : await listPages(journey, lifecycle.list, values, toLimit(values, limit, largestOf(limit)));
  const last = results.at(-1);
  if (!last || !isDone(replyOf(last))) return [...results];
  const wrong = journey.made.flatMap((known) => judgeItems(lifecycle.list, journey, known, { items, isWhole }));
  return [...results.slice(0, -1), withFindings(journey, last, wrong)];
}

/** The parameter for the page size; none if the schema does not allow that size. */
function toLimit(values: Values, limit: Parameter, size: Json | undefined): ReadonlyMap<Parameter, ParameterText> {
  const isRight = size !== undefined && fits(values, limit.schema, size);
  return new Map(isRight ? [[limit, writeParameter(limit, size)]] : []);
}

async function listPages(
  { tools }: Journey,
  own: List,
  values: Values,
  size: ReadonlyMap<Parameter, ParameterText> = new Map(),
): Promise<Listed> {
  const { operation } = own;
  const bound = new Set(operation.parameters.filter(({ pointer }) => values.given.places.has(pointer)));
  const results: CaseResult[] = [];
  const items: Json[] = [];
  let next: NextPage | undefined = { texts: new Map() };
  while (next && results.length < MAX_PAGES) {
    const isTarget: boolean = 'target' in next;
    const label = results.length === 0 ? 'list what is there' : 'the next page';
    const step = {
      label,
      ...('target' in next ? { target: next.target } : { parameters: new Map([...size, ...next.texts]) }),
    };
    const result: CaseResult = await send(
      tools,
      operation,
      validRequest(values, operation, withoutOptional(operation, bound, isTarget ? { label } : step)),
      step,
    );
    results.push(result);
    const reply = replyOf(result);
    const page = isDone(reply) ? resolveFragment(bodyOf(reply), own.items) : undefined;
    if (!reply || !isJsonList(page)) return { results, items, isWhole: false };
    items.push(...page);
    const { target } = result.case.request;
    next = nextPage(own, reply, { base: tools.target.base, target, items: items.length, pages: results.length });
  }
  // A required query parameter may filter the list.
  const isPart = operation.parameters.some(
    (parameter) => parameter.in === 'query' && parameter.isRequired && !bound.has(parameter),
  );
  return { results, items, isWhole: next === undefined && !isPart };
}

function judgeItems(
  own: List | undefined,
  { lifecycle: { writable } }: Journey,
  { thing, sent: said, isGone }: Known,
  { items, isWhole }: Pick<Listed, 'items' | 'isWhole'>,
): (readonly [CheckName, string])[] {
  if (!own) return [];
  const { property, schema } = own;
  const same = items.filter((item) => {
    if (!isJsonObject(item)) return item === thing.id;
    if (property !== undefined && item[property] !== undefined) return toText(item[property]) === toText(thing.id);
    return (
      said !== undefined && findDifferences(said, findRepresentation(schema, item, writable), writable).length === 0
    );
  });
  if (isGone) return same.length > 0 && property !== undefined ? [['listed', 'what was deleted is in the list']] : [];
  if (same.length === 0) return isWhole ? [['listed', 'what was created is not in the list']] : [];
  const [first] = same;
  // Without an id, equal items are different things.
  if (same.length > 1 && property !== undefined) return [['listed', 'what was created is in the list twice']];
  const wrong = isJsonObject(first) && said ? findListDifferences(said, first, own, writable) : [];
  return wrong.map((text) => ['listed', text] as const);
}

// A list may omit properties of its items.
function findListDifferences(
  said: NonNullable<Known['sent']>,
  item: Parameters<typeof findRepresentation>[1],
  { schema }: List,
  writable: Journey['lifecycle']['writable'],
): string[] {
  const shown = findRepresentation(schema, item, writable);
  const known = Object.fromEntries(Object.entries(said).filter(([name]) => shown.value[name] !== undefined));
  return findDifferences(known, shown, writable);
}
