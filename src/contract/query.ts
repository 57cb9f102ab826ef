import { Refusal } from './errors';
import type { Parameter } from './parameter';
import type { Parts } from './from-text';
import { takeApart } from './take-apart';

/** A pair of a query as it was sent, but for its name, which is decoded. */
export type Pair = readonly [name: string, text: string];

// A deep name, as in color[R]=100.
const DEEP = /^([^[\]]+)\[([^[\]]*)\]$/;

/** The pairs of a query (RFC 3986 section 3.4), as HTML forms write them. */
export function splitQuery(query: string): Pair[] {
  if (query === '') return [];
  return query.split('&').flatMap((part) => {
    if (part === '') return [];
    const place = part.indexOf('=');
    const name = place === -1 ? part : part.slice(0, place);
    return [[decodeQuery(name), place === -1 ? '' : part.slice(place + 1)] as const];
  });
}

/** @throws Refusal when it is no percent-encoded UTF-8 */
export function decodeQuery(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

/** @throws Refusal when it is no percent-encoded UTF-8 (RFC 3986 section 2.1) */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal('INVALID_PARAMETER', 'a percent-encoding is malformed');
  }
}

/** Finds what a query says of a parameter; undefined where it says nothing. */
export type FindParts = (pairs: ReadonlyMap<string, readonly string[]>) => Parts | undefined;

/** How the pairs of a query are put to its parameters. */
export interface QueryPlan {
  /** Whether a parameter has this name. */
  readonly isKnown: (name: string) => boolean;
  readonly find: readonly (readonly [Parameter, FindParts])[];
}

/** @param others names that belong to none of the parameters, and may be there */
export function planQuery(parameters: readonly Parameter[], others: readonly string[]): QueryPlan {
  const deep = new Set(parameters.filter(({ style }) => style === 'deepObject').map(({ name }) => name));
  const names = new Set([...others, ...parameters.flatMap(namesOf)]);
  return {
    isKnown: (name) => names.has(name) || deep.has(String(DEEP.exec(name)?.[1])),
    find: parameters.map((parameter) => [parameter, findPartsOf(parameter)]),
  };
}

function namesOf({ name, style, explode, form, shape }: Parameter): string[] {
  if (style === 'deepObject') return [];
  return style === 'form' && explode && form === 'members' ? [...shape.properties.keys()] : [name];
}

function findPartsOf(parameter: Parameter): FindParts {
  const { name, style, explode, form } = parameter;
  if (style === 'deepObject') {
    return (pairs) => {
      const members = [...pairs].flatMap(([key, texts]) => {
        const [, owner, member] = DEEP.exec(key) ?? [];
        return owner === name ? texts.map((text) => [encodeURIComponent(String(member)), text] as const) : [];
      });
      return members.length > 0 ? members : undefined;
    };
  }
  if (form === 'list' && explode) return (pairs) => pairs.get(name);
  if (form === 'members' && explode) {
    const names = namesOf(parameter);
    return (pairs) => {
      const members = names.flatMap((key) =>
        (pairs.get(key) ?? []).map((text) => [encodeURIComponent(key), text] as const),
      );
      return members.length > 0 ? members : undefined;
    };
  }
  return (pairs) => {
    const texts = pairs.get(name);
    if (texts === undefined) return undefined;
    if (texts.length > 1) throw new Refusal('INVALID_PARAMETER', `${name} is there twice`);
    return takeApart(name, parameter, String(texts[0]));
  };
}
