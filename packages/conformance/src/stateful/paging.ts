import type { Operation, Parameter } from '../contract/model';
import { rulesOf } from '../contract/schema';
import { bodyOf } from '../oracle/body';
import { isJsonList, isJsonObject, toText, type Json } from '../wire/json';
import { writeParameter, type ParameterText } from '../wire/parameter';
import { valuesOf, type WireReply } from '../wire/reply';
import { toName } from './names';
import type { List } from './resources';
import { resolveFragment } from './runtime-expression';

/** How to request the next page: by a whole target, or by other values of parameters. */
export type NextPage = { readonly target: string } | { readonly texts: ReadonlyMap<Parameter, ParameterText> };

const LIMITS = /^(?:limit|per page|page size|size|page limit|first|count|top|max results|max)$/;
const CURSORS =
  /^(?:cursor|after|page token|next token|starting after|continuation token|continue|next|marker|page cursor)$/;
const OFFSETS = /^(?:offset|skip|start|start index)$/;
const PAGES = /^(?:page|page number)$/;
const NEXT = /^(?:next|next page|next url|next link|next cursor|next token|next page token|cursor|end cursor|after)$/;

/** The parameter for the page size. */
export function limitOf({ operation }: List): Parameter | undefined {
  return findParameter(operation, LIMITS);
}

/** The largest page size that the contract allows; undefined when it does not say. */
export function largestOf(limit: Parameter): Json | undefined {
  return rulesOf(limit.schema, 'maximum')[0]?.value;
}

/** The request for a page, and what was read so far. */
export interface Asked {
  readonly base: URL;
  readonly target: string;
  readonly items: number;
  readonly pages: number;
}

/**
 * Finds the next page by a Link header, a link or cursor in the body, an offset or a page number; undefined after the
 * last one.
 */
export function nextPage({ operation, items }: List, reply: WireReply, asked: Asked): NextPage | undefined {
  const [link] = valuesOf(reply, 'link').flatMap((value) => readLinks(value));
  if (link !== undefined) return toTarget(link, asked);
  const body = bodyOf(reply);
  const nextValue = findNext(body);
  if (typeof nextValue === 'string' && /^(?:https?:\/\/|\/|\?)/.test(nextValue)) return toTarget(nextValue, asked);
  const cursor = findParameter(operation, CURSORS);
  if (cursor) return nextValue === undefined ? undefined : withText(cursor, nextValue);
  const page = resolveFragment(body, items);
  if (!isJsonList(page) || page.length === 0) return undefined;
  const offset = findParameter(operation, OFFSETS);
  if (offset) return withText(offset, BigInt(asked.items));
  const number = findParameter(operation, PAGES);
  return number && withText(number, BigInt(asked.pages) + firstOf(number));
}

function withText(parameter: Parameter, value: Json): NextPage {
  return { texts: new Map([[parameter, writeParameter(parameter, value)]]) };
}

// Pages count from 1, unless the contract has 0 as default or minimum.
function firstOf({ schema }: Parameter): bigint {
  const [usual] = [...rulesOf(schema, 'default'), ...rulesOf(schema, 'minimum')];
  return usual?.value === 0n ? 0n : 1n;
}

function findParameter({ parameters }: Operation, names: RegExp): Parameter | undefined {
  const own = parameters.filter((parameter) => parameter.in === 'query' && parameter.untriable === undefined);
  // Matches `page[after]` and `$top`, too.
  return own.find(({ name }) => names.test(toName(name)) || names.test(toName(name.split('[').at(-1) ?? '')));
}

/** The value of a property such as `next` or `cursor`, in the body or one object deeper. */
function findNext(body: Json | undefined): Json | undefined {
  if (!isJsonObject(body)) return undefined;
  const own = Object.entries(body);
  const inner = own.flatMap(([, member]) => (isJsonObject(member) ? Object.entries(member) : []));
  const [found] = [...own, ...inner].filter(([name, value]) => NEXT.test(toName(name)) && (value ?? '') !== '');
  const next = found?.[1];
  if (isJsonObject(next)) return typeof next['href'] === 'string' ? next['href'] : undefined;
  return typeof next === 'string' || typeof next === 'bigint' ? toText(next) : undefined;
}

/** The targets of the links with rel="next" (RFC 8288 section 3). */
function readLinks(value: string): string[] {
  return value.split(/,(?=\s*<)/).flatMap((link) => {
    const end = link.indexOf('>');
    const relations = link
      .slice(end + 1)
      .split(';')
      .map((parameter) => parameter.split('=', 2).map((text) => text.trim().replaceAll('"', '').toLowerCase()))
      .filter(([name]) => name === 'rel')
      .flatMap(([, names = '']) => names.split(/\s+/));
    return relations.includes('next') ? [link.slice(link.indexOf('<') + 1, end)] : [];
  });
}

/** The path and query of a link below the base URL; undefined for another server. */
function toTarget(link: string, { base, target }: Asked): NextPage | undefined {
  const prefix = base.pathname.replace(/\/$/, '');
  const url = URL.parse(link, `${base.origin}${prefix}${target}`);
  if (url?.origin !== base.origin || !url.pathname.startsWith(prefix)) return undefined;
  return { target: `${url.pathname.slice(prefix.length)}${url.search}` };
}
