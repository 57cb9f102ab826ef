// Reads the parameters of a request.
import type { IncomingHttpHeaders } from 'node:http';
import {
  GROUPS,
  headerTexts,
  parseCookies,
  splitPairs,
  acceptsUndeclaredNames,
  toPointerKey,
  tryDecode,
  tryDecodeForm,
  type Groups,
  type Notation,
  type Operation,
  type Parameter,
  type ParameterLocation,
} from '@contract-kit/contract';
import {
  createTwiceError,
  readParameterValue,
  splitStyle,
  toFieldRefusal,
  UnreadableText,
  type SplitText,
} from './read-value';

/** The text of a request that has its parameters, not decoded. */
export interface ParameterTexts {
  readonly path: ReadonlyMap<string, string>;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Reads the parameters of a request by group (path, query, headers, cookies) and name. */
type ReadParameters = (texts: ParameterTexts) => ReadTexts;

interface ReadTexts {
  readonly value: Groups;
  /** The names in the query that belong to no parameter. */
  readonly unlisted: readonly string[];
}

type Find = (texts: ParameterTexts) => SplitText | undefined;

/** Creates the reader of parameters. It throws a Refusal that names the parameter which cannot be read. */
export function createParameterReader({ parameters, security }: Operation): ReadParameters {
  const queryApiKeys = security.flat().flatMap(({ key }) => (key?.location === 'query' ? key.name : []));
  const queryPlan = planQuery(parametersIn('query'), queryApiKeys);
  const groups = [...new Set(parameters.map(({ location }) => GROUPS[location]))];
  const finders = [...parametersIn('path'), ...parametersIn('header'), ...parametersIn('cookie')].map(
    (parameter) => [parameter, createFinder(parameter)] as const,
  );
  const decoders: Readonly<Record<ParameterLocation, (text: string) => string>> = {
    path: decodePercent,
    query: decodeForm,
    header: (text) => text,
    cookie: decodePercent,
  };

  function decoderOf({ isPlusLiteral, style, location }: Parameter): (text: string) => string {
    if (style === 'cookie') return (text) => text;
    return isPlusLiteral ? decodePercent : decoders[location];
  }

  function parametersIn(place: ParameterLocation): Parameter[] {
    return parameters.filter((parameter) => parameter.location === place);
  }

  return (texts) => {
    const value: Groups = {};
    for (const group of groups) value[group] = {};
    // Adds the value of a parameter that was sent; a missing one gets its default from the validator.
    function add<T>(parameter: Parameter, find: (source: T) => SplitText | undefined, source: T): void {
      try {
        const parts = find(source);
        if (parts === undefined) return;
        setValue(value, parameter, readParameterValue(parameter, parts, decoderOf(parameter)));
      } catch (cause) {
        throw toFieldRefusal(cause, `/${GROUPS[parameter.location]}/${toPointerKey(parameter.name)}`);
      }
    }
    for (const [parameter, find] of finders) add(parameter, find, texts);
    if (texts.query === '') return { value, unlisted: [] };
    const pairs = readPairs(texts.query);
    for (const [parameter, find] of queryPlan.finders) add(parameter, find, pairs);
    return { value, unlisted: [...pairs.keys()].filter((name) => !queryPlan.isKnown(name)) };
  };
}

function readPairs(query: string): ReadonlyMap<string, readonly string[]> {
  try {
    return groupPairs(query);
  } catch (cause) {
    throw toFieldRefusal(cause, '/query');
  }
}

function setValue(groups: Groups, { location, name }: Parameter, value: unknown): void {
  (groups[GROUPS[location]] as Groups)[name] = value;
}

/** Creates the finder of a parameter that is not in the query. */
function createFinder(parameter: Parameter): Find {
  const { name, location, style, explode, form } = parameter;
  if (location === 'path') return ({ path }) => splitIfSent(parameter, path.get(name));
  if (location === 'header') {
    return ({ headers }) => {
      const texts = headerTexts(headers, name);
      const parts = splitIfSent(parameter, texts.length === 0 ? undefined : texts.join(', '));
      return typeof parts === 'object' ? trimEach(parts) : parts;
    };
  }
  // In the style form, the pairs of an exploded value are separated by & (RFC 6570), or sent as several cookies: read both as a
  // query.
  const isExploded = style === 'form' && explode && form !== 'scalar';
  const find = createQueryFinder(parameter, new Set([name]));
  return ({ headers: { cookie } }) =>
    find(groupTexts(parseCookies(isExploded ? cookie?.replaceAll('&', ';') : cookie, style === 'cookie')));
}

function splitIfSent(parameter: Parameter, text: string | undefined): SplitText | undefined {
  return text === undefined ? undefined : splitStyle(parameter.name, parameter, text);
}

// RFC 9110 section 5.6.1: spaces around the commas of a header are not part of the values.
function trimEach(parts: Exclude<SplitText, string>): SplitText {
  return parts.map((part) => (typeof part === 'string' ? part.trim() : part.map((text) => text.trim()))) as SplitText;
}

// The name of a deepObject's member, as in color[R]=100.
const DEEP_OBJECT_MEMBER = /^([^[\]]+)\[([^[\]]*)\]$/;

/** The values stay encoded: `a%62=1&ab=%32` gives ab: [1, %32]. @throws UnreadableText when a name cannot be decoded */
export function groupPairs(text: string): ReadonlyMap<string, readonly string[]> {
  return groupTexts(splitPairs(text).map(([name, value]) => [decodeForm(name), value]));
}

function groupTexts(pairs: readonly (readonly [name: string, text: string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, text] of pairs) {
    const texts = groups.get(name);
    if (texts) texts.push(text);
    else groups.set(name, [text]);
  }
  return groups;
}

/** @throws UnreadableText when it is not percent-encoded UTF-8 */
export function decodeForm(text: string): string {
  return tryDecodeForm(text) ?? failToDecode();
}

/** @throws UnreadableText when it is not percent-encoded UTF-8 */
export function decodePercent(text: string): string {
  return tryDecode(text) ?? failToDecode();
}

function failToDecode(): never {
  throw new UnreadableText('percent-encoding', 'has a malformed percent-encoding');
}

/** Finds the text of a parameter among the pairs of a query; undefined if it is missing. */
type FindText = (pairs: ReadonlyMap<string, readonly string[]>) => SplitText | undefined;

interface QueryPlan<T extends NamedNotation> {
  /** Whether a pair of this name may be in the query: it belongs to a parameter, or is allowed. */
  readonly isKnown: (name: string) => boolean;
  readonly finders: readonly (readonly [T, FindText])[];
}

interface NamedNotation extends Notation {
  readonly name: string;
  /** Undefined for a part of a form. */
  readonly location?: ParameterLocation;
}

/** Made once per operation. `others` are allowed names that are no parameters, such as that of an API key. */
export function planQuery<T extends NamedNotation>(parameters: readonly T[], others: readonly string[]): QueryPlan<T> {
  const deepObjects = new Set(parameters.filter(({ style }) => style === 'deepObject').map(({ name }) => name));
  const names = new Set([...others, ...parameters.flatMap(pairNamesOf)]);
  const isListed = (name: string): boolean =>
    names.has(name) || deepObjects.has(String(DEEP_OBJECT_MEMBER.exec(name)?.[1]));
  // One of the parameters is an object whose properties may have any name.
  const isAnyAllowed = parameters.some(acceptsUndeclaredNames);
  return {
    isKnown: (name) => isAnyAllowed || isListed(name),
    finders: parameters.map((parameter) => [parameter, createQueryFinder(parameter, { has: isListed })]),
  };
}

// The names that a parameter has in a query: of an exploded object, those of its properties. A deepObject has patterns instead.
function pairNamesOf({ name, style, explode, form, shape }: NamedNotation): string[] {
  if (style === 'deepObject') return [];
  const isExploded = (style === 'form' || style === 'cookie') && explode;
  return isExploded && form === 'object' ? [...shape.properties.keys()] : [name];
}

type Names = Pick<ReadonlySet<string>, 'has'>;

/** `isListed`: whether a name belongs to a parameter that names it. Empty text counts as missing if allowEmptyValue says so. */
function createQueryFinder(parameter: NamedNotation, listed: Names): FindText {
  const find = createStyleFinder(parameter, listed);
  if (!parameter.isEmptyMissing) return find;
  return (pairs) => {
    const parts = find(pairs);
    return [parts].flat().every((part) => part === '') ? undefined : parts;
  };
}

function createStyleFinder(parameter: NamedNotation, listed: Names): FindText {
  const { name, style, explode, form } = parameter;
  if (style === 'deepObject') {
    // color[R]=100&color[G]=200
    return (pairs) =>
      toMembers(
        [...pairs].flatMap(([key, texts]) => {
          const [, owner, member] = DEEP_OBJECT_MEMBER.exec(key) ?? [];
          return owner === name ? [[String(member), texts] as const] : [];
        }),
      );
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
    const isOpen = acceptsUndeclaredNames(parameter);
    return (pairs) => {
      const members = [...pairs].filter(([key]) => names.includes(key) || (isOpen && !listed.has(key)));
      return toMembers(members, style === 'cookie' ? (key) => key : encodeURIComponent);
    };
  }
  // Any other style is one pair, such as tag=a,b
  return (pairs) => {
    const texts = pairs.get(name);
    if (texts === undefined) return undefined;
    if (texts.length > 1) throw createTwiceError();
    return splitStyle(name, parameter, String(texts[0]));
  };
}

// Returns undefined without members. Encodes the decoded names again, since readParameterValue decodes them.
function toMembers(
  pairs: readonly (readonly [name: string, texts: readonly string[]])[],
  encode: (name: string) => string = encodeURIComponent,
): SplitText | undefined {
  const members = pairs.flatMap(([name, texts]) => texts.map((text) => [encode(name), text] as const));
  return members.length > 0 ? members : undefined;
}
