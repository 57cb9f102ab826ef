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
  createDuplicateError,
  readParameterValue,
  splitStyle,
  toFieldRefusal,
  UnreadableText,
  type SplitText,
} from './read-value';

/** The parts of a request that contain parameters, still encoded. */
export interface ParameterTexts {
  readonly path: ReadonlyMap<string, string>;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

type ReadParameters = (texts: ParameterTexts) => ParameterValues;

interface ParameterValues {
  readonly value: Groups;
  /** Names in the query that do not belong to any parameter. */
  readonly unknownNames: readonly string[];
}

type FindText = (texts: ParameterTexts) => SplitText | undefined;

/** Creates a function that reads parameters, and throws a Refusal with the name of the first one that it cannot read. */
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
    // Adds the value of a parameter if it was sent. The validator fills in defaults.
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
    if (texts.query === '') return { value, unknownNames: [] };
    const pairs = readPairs(texts.query);
    for (const [parameter, find] of queryPlan.finders) add(parameter, find, pairs);
    return { value, unknownNames: [...pairs.keys()].filter((name) => !queryPlan.isKnown(name)) };
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

function createFinder(parameter: Parameter): FindText {
  const { name, location, style, explode, form } = parameter;
  if (location === 'path') return ({ path }) => splitIfSent(parameter, path.get(name));
  if (location === 'header') {
    return ({ headers }) => {
      const texts = headerTexts(headers, name);
      const parts = splitIfSent(parameter, texts.length === 0 ? undefined : texts.join(', '));
      return typeof parts === 'object' ? trimEach(parts) : parts;
    };
  }
  // In the style form, the pairs of an exploded value are separated by & (RFC 6570), or sent as several cookies.
  const isExploded = style === 'form' && explode && form !== 'scalar';
  const find = createQueryFinder(parameter, new Set([name]));
  return ({ headers: { cookie } }) =>
    find(groupTexts(parseCookies(isExploded ? cookie?.replaceAll('&', ';') : cookie, style === 'cookie')));
}

function splitIfSent(parameter: Parameter, text: string | undefined): SplitText | undefined {
  return text === undefined ? undefined : splitStyle(parameter.name, parameter, text);
}

// RFC 9110 section 5.6.1: white space around a header's commas is not part of the values.
function trimEach(parts: Exclude<SplitText, string>): SplitText {
  return parts.map((part) => (typeof part === 'string' ? part.trim() : part.map((text) => text.trim()))) as SplitText;
}

// Matches the name of a deepObject's property, as in color[R]=100.
const DEEP_OBJECT_MEMBER = /^([^[\]]+)\[([^[\]]*)\]$/;

/** Groups values, which stay encoded, by name: `a%62=1&ab=%32` gives ab: [1, %32]. @throws UnreadableText for a malformed name */
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

/** @throws UnreadableText unless the text is percent-encoded UTF-8 */
export function decodeForm(text: string): string {
  return tryDecodeForm(text) ?? failToDecode();
}

/** @throws UnreadableText unless the text is percent-encoded UTF-8 */
export function decodePercent(text: string): string {
  return tryDecode(text) ?? failToDecode();
}

function failToDecode(): never {
  throw new UnreadableText('percent-encoding', 'has a malformed percent-encoding');
}

type FindQueryText = (pairs: ReadonlyMap<string, readonly string[]>) => SplitText | undefined;

interface QueryPlan<T extends NamedNotation> {
  /** Whether a name in the query belongs to a parameter, or is allowed for another reason. */
  readonly isKnown: (name: string) => boolean;
  readonly finders: readonly (readonly [T, FindQueryText])[];
}

interface NamedNotation extends Notation {
  readonly name: string;
  /** Undefined for a form field. */
  readonly location?: ParameterLocation;
}

/** @param allowed names that are not parameters, such as the name of an API key */
export function planQuery<T extends NamedNotation>(parameters: readonly T[], allowed: readonly string[]): QueryPlan<T> {
  const deepObjects = new Set(parameters.filter(({ style }) => style === 'deepObject').map(({ name }) => name));
  const names = new Set([...allowed, ...parameters.flatMap(pairNamesOf)]);
  const isListed = (name: string): boolean =>
    names.has(name) || deepObjects.has(String(DEEP_OBJECT_MEMBER.exec(name)?.[1]));
  const isAnyAllowed = parameters.some(acceptsUndeclaredNames);
  return {
    isKnown: (name) => isAnyAllowed || isListed(name),
    finders: parameters.map((parameter) => [parameter, createQueryFinder(parameter, { has: isListed })]),
  };
}

// Lists a parameter's names in the query: for an exploded object, those of its properties. A deepObject only has a pattern.
function pairNamesOf({ name, style, explode, form, shape }: NamedNotation): string[] {
  if (style === 'deepObject') return [];
  const isExploded = (style === 'form' || style === 'cookie') && explode;
  return isExploded && form === 'object' ? [...shape.properties.keys()] : [name];
}

type NameSet = Pick<ReadonlySet<string>, 'has'>;

// If the parameter has allowEmptyValue, empty text counts as missing.
function createQueryFinder(parameter: NamedNotation, listedNames: NameSet): FindQueryText {
  const find = createStyleFinder(parameter, listedNames);
  if (!parameter.isEmptyMissing) return find;
  return (pairs) => {
    const parts = find(pairs);
    return [parts].flat().every((part) => part === '') ? undefined : parts;
  };
}

function createStyleFinder(parameter: NamedNotation, listedNames: NameSet): FindQueryText {
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
    return (pairs) => {
      const texts = pairs.get(name);
      return texts?.length === 1 ? texts[0] : texts;
    };
  }
  if (form === 'object' && explode) {
    // R=100&G=200
    const names = pairNamesOf(parameter);
    const allowsUndeclared = acceptsUndeclaredNames(parameter);
    return (pairs) => {
      const members = [...pairs].filter(([key]) => names.includes(key) || (allowsUndeclared && !listedNames.has(key)));
      return toMembers(members, style === 'cookie' ? (key) => key : encodeURIComponent);
    };
  }
  // In any other style, a parameter is a single pair: tag=a,b
  return (pairs) => {
    const texts = pairs.get(name);
    if (texts === undefined) return undefined;
    if (texts.length > 1) throw createDuplicateError();
    return splitStyle(name, parameter, String(texts[0]));
  };
}

// Re-encodes the names, since readParameterValue decodes them.
function toMembers(
  pairs: readonly (readonly [name: string, texts: readonly string[]])[],
  encode: (name: string) => string = encodeURIComponent,
): SplitText | undefined {
  const members = pairs.flatMap(([name, texts]) => texts.map((text) => [encode(name), text] as const));
  return members.length > 0 ? members : undefined;
}
