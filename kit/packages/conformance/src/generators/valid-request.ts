// Makes a valid request of an operation, and variants of it.
import { randomUUID } from 'node:crypto';
import type { Content, Operation, Parameter } from '../contract/model';
import { isEntityTag, isGivenByReply } from '../contract/paging';
import { encodePath } from '../contract/path-template';
import { attempt, type SkippedError } from '../contract/skipped';
import { fits, type Values } from '../values/variant';
import { toJson, isJsonObject, type Json, type Wire } from '../wire/json';
import { contentTypeOf, writeParameter, type ParameterText } from '../contract/serialization';
import type { Header, WireRequest } from '../wire/request';
import { baseBody } from './body-values';
import { joinCredentials, validCredentials, type Credentials } from './credentials';
import { examplesOf, propertiesOf, type Schema } from '../contract/schema';

/** How a request differs from the default valid one. */
export interface Difference {
  /** Undefined for a request without a body. */
  readonly body?: Buffer | undefined;
  /** The declared media type for which the body is made; the first one by default. */
  readonly content?: Content | undefined;
  /** The Content-Type headers, instead of the one for the body. */
  readonly contentType?: readonly Header[] | undefined;
  readonly credentials?: Credentials;
  /** Other texts for single parameters; an empty list leaves the parameter out. */
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
  readonly headers?: readonly Header[];
  readonly query?: readonly string[];
  readonly cookies?: readonly string[];
}

/** Encodes a body as UTF-8. */
export function toBody(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/**
 * Makes a request that an operation accepts, except for the given difference. Where no valid value can be made, the
 * request has a placeholder and a `skipReason`: no case then expects that it is accepted.
 */
export function validRequest(values: Values, operation: Operation, difference: Difference = {}): WireRequest {
  const content = difference.content ?? operation.body?.contents[0];
  const skipReasons: SkippedError[] = [];
  const makeOrPlaceholder = <T>(make: () => T, placeholder: T): T =>
    attempt(make, (skipReason) => {
      skipReasons.push(skipReason);
      return placeholder;
    });
  // The request is also valid without an optional body of which none can be made.
  const mayLackBody = operation.body?.isRequired === false && !difference.content && !difference.contentType;
  const makeBody = (): Buffer | undefined => content && baseBody(values, content);
  const made = (): Buffer | undefined =>
    mayLackBody
      ? content?.schema.contract.skipped.attempt(makeBody, undefined)
      : makeOrPlaceholder(makeBody, toBody('{}'));
  // A difference of `{ body: undefined }` is a request without a body.
  const body = 'body' in difference ? difference.body : made();
  const credentials = joinCredentials([
    difference.credentials ?? validCredentials(operation.securityRequirements[0] ?? []),
  ]);
  // `skipReason` is why the suite cannot satisfy any security requirement.
  if (!difference.credentials && operation.skipReason) skipReasons.push(operation.skipReason);
  const texts = operation.parameters.map((parameter): SentParameter => {
    const changedText = difference.parameters?.get(parameter);
    if (changedText) return [parameter, changedText];
    const write = (): ParameterText =>
      writeParameter(parameter, newKey(values, parameter) ?? baseOfParameter(values, parameter));
    // The request is also valid without an optional parameter, so that one without a value is left out.
    const isKnown = !isGivenByReply(parameter) || values.fixtures.places.has(parameter.pointer);
    if (!parameter.isRequired && !isKnown) return [parameter, NOT_SENT];
    if (!parameter.isRequired) return [parameter, parameter.schema.contract.skipped.attempt(write, NOT_SENT)];
    return [parameter, makeOrPlaceholder(write, parameter.in === 'path' ? ['x'] : NOT_SENT)];
  });
  const path = fillPath(operation.path, texts);
  const textsIn = (location: Parameter['in']): string[] =>
    texts.flatMap(([parameter, text]) => (parameter.in === location ? text : []));
  const query = [...textsIn('query'), ...textsIn('querystring'), ...credentials.query, ...(difference.query ?? [])];
  const cookies = [...textsIn('cookie'), ...credentials.cookies, ...(difference.cookies ?? [])];
  const contentType =
    difference.contentType ?? (content && body ? [['Content-Type', contentTypeOf(content)] as const] : []);
  const [skipReason] = skipReasons;
  const needsLength = operation.layerHeaders.some((header) => isLength(header) && header.isRequired);
  const request: WireRequest = {
    method: operation.method,
    server: operation.server,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: [
      ...credentials.headers,
      ...contentType,
      ...texts.flatMap(([{ in: location, name }, text]) =>
        location === 'header' ? text.map((value) => [name, value] as const) : [],
      ),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(difference.headers ?? []),
    ],
    body,
    ...(!body && needsLength && { framing: 'length' }),
    skipReason,
  };
  return { ...request, skipReason: skipReasonOf(values, operation, request) };
}

/** Why the suite does not know whether a request is valid, which may be a header that the HTTP layer writes. */
export function skipReasonOf(
  values: Values,
  { layerHeaders }: Operation,
  { skipReason, headers, body, framing = body ? 'length' : 'none' }: WireRequest,
): WireRequest['skipReason'] {
  const length = framing === 'length' ? (body?.length ?? 0) : undefined;
  // The server's address is not known yet. Of the other headers, most requests have none.
  const sent = new Map([['host', 'localhost'], ...headers.map(([name, text]) => [name.toLowerCase(), text] as const)]);
  const wrong = layerHeaders.find((header) => {
    const value = isLength(header) ? length : sent.get(header.name.toLowerCase());
    if (value === undefined) return header.isRequired;
    return ![value, String(value)].some((read) => fits(values, header.schema, read));
  });
  return skipReason ?? (wrong && { reason: `a valid header ${wrong.name}`, pointer: wrong.pointer });
}

function isLength({ name }: Parameter): boolean {
  return name.toLowerCase() === 'content-length';
}

type SentParameter = readonly [Parameter, ParameterText];

export const NOT_SENT: ParameterText = [];

function fillPath(template: string, texts: readonly SentParameter[]): string {
  return texts.reduce(
    (path, [parameter, text]) =>
      parameter.in === 'path' ? path.replaceAll(encodePath(`{${parameter.name}}`), () => text.join('')) : path,
    encodePath(template),
  );
}

/** Whether it is the header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). */
export function isIdempotencyKey({ in: place, name }: Parameter): boolean {
  return place === 'header' && name.toLowerCase() === 'idempotency-key';
}

// Each request has one of its own: a server refuses the same key with another body (section 2.7 of the draft).
function newKey(values: Values, parameter: Parameter): Json | undefined {
  if (!isIdempotencyKey(parameter) || values.fixtures.places.has(parameter.pointer)) return undefined;
  const uuid = randomUUID();
  return [uuid, uuid.replaceAll('-', ''), uuid.slice(0, 8)].find((key) => fits(values, parameter.schema, key));
}

/**
 * Makes one valid value of a parameter: the first that the file of `--fixtures` gives for it, that the contract shows of a
 * required one, or else a generated one.
 *
 * @throws SkippedError when no valid value can be made
 */
export function baseOfParameter(values: Values, parameter: Parameter): Json {
  const { schema, skipReason, pointer } = parameter;
  const [given] = values.fixtures.places.get(pointer) ?? [];
  if (given !== undefined) return given;
  const entityTag = `"${values.marker}"`;
  if (isEntityTag(parameter) && fits(values, schema, entityTag)) return entityTag;
  // Without a right value of a required parameter, such as the name of a tenant, a server may refuse all requests.
  const shown = parameter.isRequired ? [...(parameter.examples ?? []), ...examplesOf(schema)] : [];
  const example = shown.find((value) => fits(values, schema, value));
  if (example !== undefined) return example;
  // Why the suite cannot write this parameter, such as an unknown style.
  if (skipReason) throw skipReason;
  const base = values.baseOf(schema);
  const others = isSendable(parameter, base) ? [] : values.validValues(schema).map(({ value }) => value);
  return toJson(others.find((value) => isSendable(parameter, value)) ?? base);
}

/** Whether the location of a parameter can express a value. */
export function isSendable(parameter: Parameter, value: Wire): boolean {
  const text = textOf(parameter, value);
  // Servers bound the length of a path and of a header.
  const isShort = text.length < 4_000;
  switch (parameter.in) {
    case 'query':
    case 'querystring':
      return text !== '';
    case 'cookie':
      // The style `cookie` encodes nothing (RFC 6265 section 4.1.1).
      return text !== '' && (parameter.style === 'form' || /^[!#-+\--:<-[\]-~,]+$/.test(text));
    case 'path': {
      // Clients and servers normalize such segments; `.` and `;` may also be the prefix of a style. Many refuse a NUL.
      const isEmptyOrDots = /^[.;]*$/.test(text);
      return !isEmptyOrDots && !text.includes('/') && !text.includes('%00') && isShort;
    }
    case 'header':
      // Printable ASCII: leading and trailing white space is not part of a header's value.
      return isShort && /^[!-~](?:[ -~]*[!-~])?$/.test(text);
  }
}

function textOf(parameter: Parameter, value: Wire): string {
  try {
    return writeParameter(parameter, value).join('&');
  } catch (error) {
    // encodeURIComponent: half of a surrogate pair has no UTF-8.
    if (error instanceof URIError) return '';
    throw error;
  }
}

/** Marks the last string property that stays valid with it; a body without one, or an invalid one, stays as it is. */
export function withMarker(values: Values, schema: Schema, body: Json): Json {
  if (!isJsonObject(body) || !fits(values, schema, body)) return body;
  const markedBodies = [...propertiesOf(schema).keys()]
    .filter((name) => typeof body[name] === 'string')
    .map((name) => ({ ...body, [name]: values.marker }));
  return markedBodies.toReversed().find((marked) => fits(values, schema, marked)) ?? body;
}
