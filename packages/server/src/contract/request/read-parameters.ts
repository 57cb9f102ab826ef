// Reads the parameters of a request.
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookies, headerTexts } from '../text/header-value';
import { Refusal } from '../refusal/refusal';
import { readParameterValue, splitStyle, type SplitText } from './parameter-style';
import { GROUPS, type Groups } from '../operation/message';
import type { Operation } from '../operation/operation';
import type { Notation, ParameterLocation, Parameter } from '../operation/parameters';
import { decodeForm, decodePercent, groupPairs, planQuery } from './query';

/** The text of a request that has its parameters, not decoded. */
export interface ParameterTexts {
  readonly path: ReadonlyMap<string, string>;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Reads the parameters of a request by group and name: their values, and their tokens (see ReadValue). */
export type ReadParameters = (texts: ParameterTexts) => { value: Groups; tokens: Groups };

type Find = (texts: ParameterTexts) => SplitText | undefined;

/** Creates the reader of parameters. It throws a Refusal if one cannot be decoded, or if the query has an undeclared one. */
export function createParameterReader({ parameters, security }: Operation): ReadParameters {
  const queryApiKeys = security.flat().flatMap(({ parameter = [] }) => parameter);
  const queryPlan = planQuery(parametersIn('query'), queryApiKeys);
  const groups = [...new Set(parameters.map(({ location }) => GROUPS[location]))];
  const finders = [
    ...parametersIn('path').map(inPath),
    ...parametersIn('header').map(inHeaders),
    ...parametersIn('cookie').map(inCookies),
  ];
  const decoders: Readonly<Record<ParameterLocation, (text: string) => string>> = {
    path: decodePercent,
    query: decodeForm,
    header: (text) => text,
    cookie: decodePercent,
  };

  function parametersIn(place: ParameterLocation): Parameter[] {
    return parameters.filter((parameter) => parameter.location === place);
  }

  return (texts) => {
    // Both by group (path, query, headers, cookies) and name; the tokens are the values as text, for the digits of int64s.
    const value: Groups = {};
    const tokens: Groups = {};
    for (const group of groups) {
      value[group] = {};
      tokens[group] = {};
    }
    // Adds the value of a parameter that was sent; a missing one gets its default from the validator.
    function add(parameter: Parameter, parts: SplitText | undefined): void {
      if (parts === undefined) return;
      const decode = parameter.isPlusLiteral ? decodePercent : decoders[parameter.location];
      const reading = readParameterValue(parameter, parts, decode);
      setValue(value, parameter, reading.value);
      setValue(tokens, parameter, reading.tokens);
    }
    for (const [parameter, find] of finders) add(parameter, find(texts));
    if (texts.query === '') return { value, tokens };
    const pairs = groupPairs(texts.query);
    for (const name of pairs.keys()) {
      if (!queryPlan.isKnown(name))
        throw new Refusal('INVALID_PARAMETER', `Unknown query parameter '${name}'`, { rule: 'listed' });
    }
    for (const [parameter, find] of queryPlan.finders) add(parameter, find(pairs));
    return { value, tokens };
  };
}

function setValue(groups: Groups, { location, name }: Parameter, value: unknown): void {
  (groups[GROUPS[location]] as Groups)[name] = value;
}

function inPath(parameter: Parameter): [Parameter, Find] {
  return [parameter, ({ path }) => splitIfSent(parameter.name, parameter, path.get(parameter.name))];
}

function inHeaders(parameter: Parameter): [Parameter, Find] {
  return [
    parameter,
    ({ headers }) => {
      const texts = headerTexts(headers, parameter.name);
      const parts = splitIfSent(parameter.name, parameter, texts.length === 0 ? undefined : texts.join(', '));
      return typeof parts === 'object' ? trimEach(parts) : parts;
    },
  ];
}

function inCookies(parameter: Parameter): [Parameter, Find] {
  const { name, explode, form } = parameter;
  // The pairs of an exploded value are separated by & (RFC 6570), or sent as several cookies: read both as a query.
  if (explode && form !== 'scalar') {
    const [finder] = planQuery([parameter], []).finders;
    return [parameter, ({ headers }) => finder?.[1](groupCookies(headers.cookie?.replaceAll('&', ';')))];
  }
  return [
    parameter,
    ({ headers }) => {
      const [pair, another] = parseCookies(headers.cookie).filter(([key]) => key === name);
      if (another) throw new Refusal('INVALID_PARAMETER', `the cookie ${name} is there twice`, { rule: 'once' });
      return splitIfSent(name, parameter, pair?.[1]);
    },
  ];
}

function groupCookies(header: string | undefined): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(parseCookies(header), ([name]) => name);
  return new Map([...groups].map(([name, pairs]) => [name, pairs.map(([, text]) => text)]));
}

function splitIfSent(name: string, notation: Notation, text: string | undefined): SplitText | undefined {
  return text === undefined ? undefined : splitStyle(name, notation, text);
}

// RFC 9110 section 5.6.1: spaces around the commas of a header are not part of the values.
function trimEach(parts: Exclude<SplitText, string>): SplitText {
  return parts.map((part) => (typeof part === 'string' ? part.trim() : part.map((text) => text.trim()))) as SplitText;
}
