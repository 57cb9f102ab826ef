// Finds the next page of a list.
import type { Operation, Parameter } from '../contract/model';
import { rulesOf } from '../contract/schema';
import { bodyOf } from '../oracle/body';
import { isJsonList, isJsonObject, toText, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';
import { valuesOf, type WireReply } from '../wire/reply';
import { toTargetBelow } from './link-target';
import { toName } from './names';
import type { List } from './resources';
import { resolveFragment } from './runtime-expression';

/** How to request the next page: by a whole target (path and query), or by other values of parameters. */
export type NextPage = { readonly target: string } | { readonly texts: ReadonlyMap<Parameter, ParameterText> };

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

export function pageSizeParameterOf({ operation }: List): Parameter | undefined {
  return findQueryParameter(operation, PAGE_SIZE_NAMES);
}

export function largestPageSizeOf(pageSize: Parameter): Json | undefined {
  return rulesOf(pageSize.schema, 'maximum')[0]?.value;
}

/** How far a list was read: the numbers of items and pages so far. */
export interface Progress {
  readonly base: URL;
  /** Path and query of the latest request. */
  readonly target: string;
  readonly items: number;
  readonly pages: number;
}

/** By a Link header, a link or cursor in the body, an offset or a page number; undefined after the last page. */
export function nextPage(
  { operation, itemsPointer }: List,
  reply: WireReply,
  progress: Progress,
): NextPage | undefined {
  const [linkHeader] = valuesOf(reply, 'link').flatMap((value) => readNextLinks(value));
  if (linkHeader !== undefined) return byLink(linkHeader, progress);
  const body = bodyOf(reply);
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

// Not one that no value can be made for (`untriable`).
function findQueryParameter({ parameters }: Operation, names: RegExp): Parameter | undefined {
  const candidates = parameters.filter((parameter) => parameter.in === 'query' && parameter.untriable === undefined);
  // The text after the last bracket is for `page[after]`; toName drops signs, so that `$top` matches `top`.
  return candidates.find(({ name }) => names.test(toName(name)) || names.test(toName(name.split('[').at(-1) ?? '')));
}

// The value of a property such as `next` or `next_cursor`, in the body or in an object of it, or of `href` in such a
// property.
function findNextText(body: Json | undefined): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const members = Object.entries(body);
  const innerMembers = members.flatMap(([, member]) => (isJsonObject(member) ? Object.entries(member) : []));
  const [found] = [...members, ...innerMembers].filter(
    ([name, value]) => NEXT_PROPERTY_NAMES.test(toName(name)) && (value ?? '') !== '',
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
