// Finds the text of each parameter in a query, or of each field in a form.
import { Refusal } from '../refusal/refusal';
import { takesOtherNames, type Notation } from '../operation/parameters';
import { splitStyle, type SplitText } from './parameter-style';
import { splitPairs, tryDecode, tryDecodeForm } from '../text/form-pairs';

// The name of a deepObject's member, as in color[R]=100.
const DEEP_OBJECT_MEMBER = /^([^[\]]+)\[([^[\]]*)\]$/;

/** The values stay encoded: `a%62=1&ab=%32` gives ab: [1, %32]. @throws Refusal when a name cannot be decoded */
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

/** Finds the text of a parameter among the pairs of a query; undefined if it is missing. */
export type FindText = (pairs: ReadonlyMap<string, readonly string[]>) => SplitText | undefined;

export interface QueryPlan<T extends NamedNotation> {
  /** Whether a pair of this name may be in the query: it belongs to a parameter, or is allowed. */
  readonly isKnown: (name: string) => boolean;
  readonly finders: readonly (readonly [T, FindText])[];
}

export interface NamedNotation extends Notation {
  readonly name: string;
}

/** Made once per operation. `others` are allowed names that are no parameters, such as that of an API key. */
export function planQuery<T extends NamedNotation>(parameters: readonly T[], others: readonly string[]): QueryPlan<T> {
  const deepObjects = new Set(parameters.filter(({ style }) => style === 'deepObject').map(({ name }) => name));
  const names = new Set([...others, ...parameters.flatMap(pairNamesOf)]);
  const isListed = (name: string): boolean =>
    names.has(name) || deepObjects.has(String(DEEP_OBJECT_MEMBER.exec(name)?.[1]));
  // One of the parameters is an object whose properties may have any name.
  const isAnyAllowed = parameters.some(takesOtherNames);
  return {
    isKnown: (name) => isAnyAllowed || isListed(name),
    finders: parameters.map((parameter) => [parameter, ignoreEmpty(parameter, createFinder(parameter, isListed))]),
  };
}

// The names that a parameter has in a query: of an exploded object, those of its properties. A deepObject has patterns instead.
function pairNamesOf({ name, style, explode, form, shape }: NamedNotation): string[] {
  if (style === 'deepObject') return [];
  return style === 'form' && explode && form === 'object' ? [...shape.properties.keys()] : [name];
}

/** Wraps a finder so that empty text counts as missing, where the contract says so (allowEmptyValue). */
function ignoreEmpty({ isEmptyMissing }: NamedNotation, find: FindText): FindText {
  if (!isEmptyMissing) return find;
  return (pairs) => {
    const parts = find(pairs);
    return [parts].flat().every((part) => part === '') ? undefined : parts;
  };
}

/** Creates the finder of one parameter, by its style. `isListed`: whether a name belongs to a parameter that names it. */
function createFinder(parameter: NamedNotation, isListed: (name: string) => boolean): FindText {
  const { name, style, explode, form } = parameter;
  if (style === 'deepObject') {
    return (pairs) => {
      // color[R]=100&color[G]=200
      const prefix = `${name}[`;
      const members = [...pairs].filter(([key]) => key.startsWith(prefix));
      return toMembers(members.map(([key, texts]) => [key.slice(prefix.length, -1), texts]));
    };
  }
  // tag=a&tag=b
  if (form === 'array' && explode) return (pairs) => pairs.get(name);
  if (form === 'scalar or array') {
    // Sent once, it is a scalar; several times, an array.
    return (pairs) => {
      const texts = pairs.get(name);
      return texts?.length === 1 ? texts[0] : texts;
    };
  }
  if (form === 'object' && explode) {
    // R=100&G=200
    const names = pairNamesOf(parameter);
    const isOpen = takesOtherNames(parameter);
    return (pairs) => toMembers([...pairs].filter(([key]) => names.includes(key) || (isOpen && !isListed(key))));
  }
  // Any other style is one pair, such as tag=a,b
  return (pairs) => {
    const texts = pairs.get(name);
    if (texts === undefined) return undefined;
    if (texts.length > 1) throw new Refusal('INVALID_PARAMETER', `${name} is there twice`, { rule: 'once' });
    return splitStyle(name, parameter, String(texts[0]));
  };
}

// Undefined for no members. The names were decoded: encode them again, as readParameterValue decodes names and texts.
function toMembers(pairs: readonly (readonly [name: string, texts: readonly string[]])[]): SplitText | undefined {
  const members = pairs.flatMap(([name, texts]) => texts.map((text) => [encodeURIComponent(name), text] as const));
  return members.length > 0 ? members : undefined;
}
