import type { IncomingHttpHeaders } from 'node:http';
import { parseCookies } from './cookies';
import { Refusal } from './refusal';
import { readText, type Parts, type Reading } from './from-text';
import { GROUPS } from './message';
import type { Operation } from './operation';
import type { Notation, Parameter, Place } from './parameter';
import { decodeForm, decodePercent, groupPairs, planQuery } from './query';
import { takeApart } from './take-apart';

/** Where the parameters of a request are, as they were sent. */
export interface ParameterTexts {
  /** Of the path, by name. */
  readonly path: ReadonlyMap<string, string>;
  /** The query without its question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** Reads the parameters of a request, and leaves them and their tokens in the groups that the operation has. */
export type ReadParameters = (texts: ParameterTexts) => { value: Groups; tokens: Groups };

/** By group, then by name. */
export type Groups = Record<string, unknown>;

type Find = (texts: ParameterTexts) => Parts | undefined;

/** @throws Refusal, when it reads, if a parameter cannot be decoded, or the query has one that is not listed */
export function createParameterReader({ parameters, security }: Operation): ReadParameters {
  const others = security.flat().flatMap(({ parameter = [] }) => parameter);
  const plan = planQuery(at('query'), others);
  const groups = [...new Set(parameters.map(({ place }) => GROUPS[place]))];
  const rest = [...at('path').map(inPath), ...at('header').map(inHeaders), ...at('cookie').map(inCookies)];
  const decoders: Readonly<Record<Place, (text: string) => string>> = {
    path: decodePercent,
    query: decodeForm,
    header: (text) => text,
    cookie: decodePercent,
  };

  function at(place: Place): Parameter[] {
    return parameters.filter((parameter) => parameter.place === place);
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
    function read(parameter: Parameter, parts: Parts): Reading {
      return readText(parameter, parts, decoders[parameter.place]);
    }
    for (const [parameter, find] of rest) keep(parameter, find(texts));
    if (texts.query === '') return { value, tokens };
    const pairs = groupPairs(texts.query);
    for (const name of pairs.keys()) {
      if (!plan.isKnown(name)) throw new Refusal('INVALID_PARAMETER', `Unknown query parameter '${name}'`);
    }
    for (const [parameter, find] of plan.find) keep(parameter, find(pairs));
    return { value, tokens };
  };
}

function put(groups: Groups, { place, name }: Parameter, value: unknown): void {
  (groups[GROUPS[place]] as Groups)[name] = value;
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
  const { name } = parameter;
  return [
    parameter,
    ({ headers }) => {
      const [text, another] = parseCookies(headers.cookie).filter(([key]) => key === name);
      if (another) throw new Refusal('INVALID_PARAMETER', `the cookie ${name} is there twice`);
      return apart(name, parameter, text?.[1]);
    },
  ];
}

function apart(name: string, notation: Notation, text: string | undefined): Parts | undefined {
  return text === undefined ? undefined : takeApart(name, notation, text);
}

// RFC 9110 section 5.6.1: there may be blanks beside the commas.
function trimmed(parts: Exclude<Parts, string>): Parts {
  return parts.map((part) => (typeof part === 'string' ? part.trim() : part.map((text) => text.trim()))) as Parts;
}
