// Splits a query, or a form, into the texts of its parameters.
import { Refusal } from '../refusal/refusal';
import { takesOtherNames, type Notation } from '../operation/notation';
import type { Parts } from './parameter-value';
import { splitPairs, tryDecode, tryDecodeForm } from '../text/form-pairs';
import { splitStyle } from './parameter-style';

// The name of a deepObject's member, as in color[R]=100.
const DEEP = /^([^[\]]+)\[([^[\]]*)\]$/;

/**
 * Groups the values of a query, or of a form, by decoded name.
 *
 * @throws Refusal when a name cannot be decoded
 */
export function groupPairs(text: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [encoded, value] of splitPairs(text)) {
    const name = decodeForm(encoded);
    const known = groups.get(name);
    if (known) known.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** @throws Refusal when it is no percent-encoded UTF-8 */
export function decodeForm(text: string): string {
  return tryDecodeForm(text) ?? refuse();
}

/** @throws Refusal when it is no percent-encoded UTF-8 */
export function decodePercent(text: string): string {
  return tryDecode(text) ?? refuse();
}

function refuse(): never {
  throw new Refusal('INVALID_PARAMETER', 'a percent-encoding is malformed', { rule: 'percent-encoding' });
}

/** Finds the text of a parameter in a query; undefined if it is missing. */
export type FindParts = (pairs: ReadonlyMap<string, readonly string[]>) => Parts | undefined;

/** Assigns the pairs of a query, or of a form, to parameters. */
export interface QueryPlan<T extends Named> {
  /** Whether a parameter has this name. */
  readonly isKnown: (name: string) => boolean;
  readonly find: readonly (readonly [T, FindParts])[];
}

/** A value that is written in pairs. */
export interface Named extends Notation {
  readonly name: string;
}

/** @param others names that are allowed but are no parameters */
export function planQuery<T extends Named>(parameters: readonly T[], others: readonly string[]): QueryPlan<T> {
  const deep = new Set(parameters.filter(({ style }) => style === 'deepObject').map(({ name }) => name));
  const names = new Set([...others, ...parameters.flatMap(namesOf)]);
  const isListed = (name: string): boolean => names.has(name) || deep.has(String(DEEP.exec(name)?.[1]));
  const isAnyName = parameters.some(takesOtherNames);
  return {
    isKnown: (name) => isAnyName || isListed(name),
    find: parameters.map((parameter) => [parameter, findUnlessEmpty(parameter, findPartsOf(parameter, isListed))]),
  };
}

function namesOf({ name, style, explode, form, shape }: Named): string[] {
  if (style === 'deepObject') return [];
  return style === 'form' && explode && form === 'members' ? [...shape.properties.keys()] : [name];
}

function findUnlessEmpty({ isEmptyNone }: Named, find: FindParts): FindParts {
  if (!isEmptyNone) return find;
  return (pairs) => {
    const parts = find(pairs);
    return [parts].flat().every((part) => part === '') ? undefined : parts;
  };
}

function findPartsOf(parameter: Named, isListed: (name: string) => boolean): FindParts {
  const { name, style, explode, form } = parameter;
  if (style === 'deepObject') {
    return (pairs) => {
      const prefix = `${name}[`;
      const deep = [...pairs].filter(([key]) => key.startsWith(prefix));
      return toMembers(deep.map(([key, texts]) => [key.slice(prefix.length, -1), texts]));
    };
  }
  if (form === 'list' && explode) return (pairs) => pairs.get(name);
  if (form === 'one or list') {
    return (pairs) => {
      const texts = pairs.get(name);
      return texts?.length === 1 ? texts[0] : texts;
    };
  }
  if (form === 'members' && explode) {
    const names = namesOf(parameter);
    const isOpen = takesOtherNames(parameter);
    return (pairs) => toMembers([...pairs].filter(([key]) => names.includes(key) || (isOpen && !isListed(key))));
  }
  return (pairs) => {
    const texts = pairs.get(name);
    if (texts === undefined) return undefined;
    if (texts.length > 1) throw new Refusal('INVALID_PARAMETER', `${name} is there twice`, { rule: 'once' });
    return splitStyle(name, parameter, String(texts[0]));
  };
}

// The names were decoded: encode them again for readParameterValue.
function toMembers(pairs: readonly (readonly [name: string, texts: readonly string[]])[]): Parts | undefined {
  const members = pairs.flatMap(([name, texts]) => texts.map((text) => [encodeURIComponent(name), text] as const));
  return members.length > 0 ? members : undefined;
}
