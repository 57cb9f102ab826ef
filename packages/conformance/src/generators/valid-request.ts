// Makes a valid request of an operation, and variants of it.
import type { Content, Operation, Parameter, Scheme } from '../contract/model';
import { attempt, type Untriable } from '../contract/untried';
import type { Values } from '../values/variant';
import { toJson, type Json } from '../wire/json';
import { typeOf } from '../wire/content';
import { writeParameter, type ParameterText } from '../wire/parameter';
import type { Header, WireRequest } from '../wire/request';
import { secretOf, type Change } from '../wire/secret';
import { baseBody } from './body-values';

/** How a request differs from the default valid one. */
export interface Difference {
  /** Undefined for a request without a body. */
  readonly body?: Buffer | undefined;
  /** The media type of the body; the first declared one by default. */
  readonly content?: Content;
  readonly mediaType?: readonly Header[];
  readonly credentials?: Credentials;
  /** Other texts for single parameters; an empty object leaves the parameter out. */
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
  readonly headers?: readonly Header[];
  readonly query?: readonly string[];
  readonly cookies?: readonly string[];
}

export interface Credentials {
  readonly headers: readonly Header[];
  readonly query: readonly string[];
  readonly cookies: readonly string[];
}

/**
 * Encodes a body as UTF-8.
 *
 * @example validRequest(values, operation, { credentials, body: toBody('{"id":1}') })
 */
export function toBody(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/**
 * Makes a request that an operation accepts, except for the given difference.
 *
 * @example const { method, target } = validRequest(suite.values, operation, { credentials: { headers: [], query: [], cookies: [] } })
 */
export function validRequest(values: Values, operation: Operation, difference: Difference = {}): WireRequest {
  const declared = difference.content ?? operation.body?.contents[0];
  // When no valid value can be made, send a placeholder and note why, so that no case expects success.
  const obstacles: Untriable[] = [];
  const makeOr = <T>(make: () => T, otherwise: T): T =>
    attempt(make, (problem) => {
      obstacles.push(problem);
      return otherwise;
    });
  const body =
    'body' in difference ? difference.body : declared && makeOr(() => baseBody(values, declared), toBody('{}'));
  const credentials = difference.credentials ?? credentialsFor(operation.alternatives[0] ?? []);
  if (!difference.credentials && operation.untriable) obstacles.push(operation.untriable);
  const texts = operation.parameters.map((parameter): readonly [Parameter, ParameterText] => {
    const own = difference.parameters?.get(parameter);
    if (own) return [parameter, own];
    // The request is also valid without an optional parameter.
    const write = (): ParameterText => writeParameter(parameter, baseOfParameter(values, parameter));
    if (!parameter.isRequired) return [parameter, parameter.schema.contract.untried.attempt(write, {})];
    return [parameter, makeOr(write, parameter.in === 'path' ? { path: 'x' } : {})];
  });
  const [obstacle] = obstacles;
  const path = texts.reduce(
    (target, [{ name, in: place }, text]) =>
      place === 'path' ? target.replaceAll(`{${name}}`, () => text.path ?? '') : target,
    operation.path,
  );
  const query = [...texts.flatMap(([, text]) => text.query ?? []), ...credentials.query, ...(difference.query ?? [])];
  const cookies = [
    ...texts.flatMap(([, text]) => text.cookie ?? []),
    ...credentials.cookies,
    ...(difference.cookies ?? []),
  ];
  const mediaType = difference.mediaType ?? (declared && body ? [['Content-Type', typeOf(declared)] as const] : []);
  return {
    method: operation.method,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: [
      ...credentials.headers,
      ...mediaType,
      ...texts.flatMap(([, { header }]) => (header ? [header] : [])),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(difference.headers ?? []),
    ],
    body,
    ...(obstacle && { obstacle }),
  };
}

/** @throws Untriable when no valid value can be made */
export function baseOfParameter(values: Values, { schema, untriable, pointer }: Parameter): Json {
  const [given] = values.given.places.get(pointer) ?? [];
  if (given !== undefined) return given;
  if (untriable) throw untriable;
  return toJson(values.baseOf(schema));
}

/** Valid credentials for all schemes of a security alternative. */
export function credentialsFor(schemes: readonly Scheme[]): Credentials {
  return joinCredentials(schemes.map((scheme) => credentialsWithSecret(scheme)));
}

export function joinCredentials(each: readonly Credentials[]): Credentials {
  return {
    headers: each.flatMap(({ headers }) => headers),
    query: each.flatMap(({ query }) => query),
    cookies: each.flatMap(({ cookies }) => cookies),
  };
}

/** Puts the secret of a scheme, changed or not, where the scheme expects it. */
export function credentialsWithSecret(scheme: Scheme, change?: Change): Credentials {
  return credentialsWithText(scheme, secretOf(scheme.name, encodingOf(scheme), change));
}

/** How the secret of a scheme is encoded. */
export function encodingOf(scheme: Scheme): 'plain' | 'base64' | 'uri' {
  if (scheme.kind === 'basic') return 'base64';
  return scheme.in === 'query' ? 'uri' : 'plain';
}

/** Puts any text where a scheme expects its secret. */
export function credentialsWithText(scheme: Scheme, secret: string): Credentials {
  const none = { headers: [], query: [], cookies: [] };
  const name = scheme.parameter ?? '';
  if (scheme.kind === 'bearer') return { ...none, headers: [['Authorization', `Bearer ${secret}`]] };
  if (scheme.kind === 'basic') return { ...none, headers: [['Authorization', `Basic ${secret}`]] };
  if (scheme.in === 'query') return { ...none, query: [`${encodeURIComponent(name)}=${secret}`] };
  if (scheme.in === 'cookie') return { ...none, cookies: [`${name}=${secret}`] };
  return { ...none, headers: [[name, secret]] };
}
