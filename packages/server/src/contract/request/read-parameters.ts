// Reads the parameters of a request.
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookies } from '../text/cookies';
import { Refusal } from '../refusal/refusal';
import { readParameterValue, type Parts, type ReadValue } from './parameter-value';
import { GROUPS, type Groups } from '../operation/message';
import type { Operation } from '../operation/operation';
import type { Notation, ParameterLocation } from '../operation/notation';
import type { Parameter } from '../operation/parameter';
import { decodeForm, decodePercent, groupPairs, planQuery } from './query';
import { splitStyle } from './parameter-style';

/** The parts of a request with parameters, as they were sent. */
export interface ParameterTexts {
  /** Of the path, by name. */
  readonly path: ReadonlyMap<string, string>;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Reads the parameters of a request, and their tokens, into the groups of the operation. */
export type ReadParameters = (texts: ParameterTexts) => { value: Groups; tokens: Groups };

type Find = (texts: ParameterTexts) => Parts | undefined;

/** The reader throws a Refusal if a parameter cannot be decoded, or if the query has one that is not listed. */
export function createParameterReader({ parameters, security }: Operation): ReadParameters {
  const others = security.flat().flatMap(({ parameter = [] }) => parameter);
  const plan = planQuery(at('query'), others);
  const groups = [...new Set(parameters.map(({ location }) => GROUPS[location]))];
  const rest = [...at('path').map(inPath), ...at('header').map(inHeaders), ...at('cookie').map(inCookies)];
  const decoders: Readonly<Record<ParameterLocation, (text: string) => string>> = {
    path: decodePercent,
    query: decodeForm,
    header: (text) => text,
    cookie: decodePercent,
  };

  function at(place: ParameterLocation): Parameter[] {
    return parameters.filter((parameter) => parameter.location === place);
  }

  return (texts) => {
    const value: Groups = {};
    const tokens: Groups = {};
    for (const group of groups) {
      value[group] = {};
      tokens[group] = {};
    }
    function keep(parameter: Parameter, parts: Parts | undefined): void {
      if (parts === undefined) return;
      const reading = read(parameter, parts);
      put(value, parameter, reading.value);
      put(tokens, parameter, reading.tokens);
    }
    function read(parameter: Parameter, parts: Parts): ReadValue {
      const { location, isPlusKept } = parameter;
      return readParameterValue(parameter, parts, isPlusKept ? decodePercent : decoders[location]);
    }
    for (const [parameter, find] of rest) keep(parameter, find(texts));
    if (texts.query === '') return { value, tokens };
    const pairs = groupPairs(texts.query);
    for (const name of pairs.keys()) {
      if (!plan.isKnown(name))
        throw new Refusal('INVALID_PARAMETER', `Unknown query parameter '${name}'`, { rule: 'listed' });
    }
    for (const [parameter, find] of plan.find) keep(parameter, find(pairs));
    return { value, tokens };
  };
}

function put(groups: Groups, { location, name }: Parameter, value: unknown): void {
  (groups[GROUPS[location]] as Groups)[name] = value;
}

function inPath(parameter: Parameter): [Parameter, Find] {
  const { name } = parameter;
  return [parameter, ({ path }) => apart(name, parameter, path.get(name))];
}

function inHeaders(parameter: Parameter): [Parameter, Find] {
  const key = parameter.name.toLowerCase();
  return [
    parameter,
    ({ headers }) => {
      const text = [headers[key] ?? []].flat().join(', ');
      const parts = apart(parameter.name, parameter, headers[key] === undefined ? undefined : text);
      return typeof parts === 'object' ? trimmed(parts) : parts;
    },
  ];
}

function inCookies(parameter: Parameter): [Parameter, Find] {
  const { name, explode, form } = parameter;
  // Between the pairs of an exploded value an ampersand stands (RFC 6570), or it is sent in several cookies.
  if (explode && form !== 'one') {
    const [found] = planQuery([parameter], []).find;
    return [parameter, ({ headers }) => found?.[1](groupCookies(headers.cookie?.replaceAll('&', ';')))];
  }
  return [
    parameter,
    ({ headers }) => {
      const [text, another] = parseCookies(headers.cookie).filter(([key]) => key === name);
      if (another) throw new Refusal('INVALID_PARAMETER', `the cookie ${name} is there twice`, { rule: 'once' });
      return apart(name, parameter, text?.[1]);
    },
  ];
}

function groupCookies(header: string | undefined): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(parseCookies(header), ([name]) => name);
  return new Map([...groups].map(([name, pairs]) => [name, pairs.map(([, text]) => text)]));
}

function apart(name: string, notation: Notation, text: string | undefined): Parts | undefined {
  return text === undefined ? undefined : splitStyle(name, notation, text);
}

// RFC 9110 section 5.6.1: spaces beside the commas are allowed.
function trimmed(parts: Exclude<Parts, string>): Parts {
  return parts.map((part) => (typeof part === 'string' ? part.trim() : part.map((text) => text.trim()))) as Parts;
}
