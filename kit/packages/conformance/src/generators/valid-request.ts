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

/** Changes to the default valid request. */
export interface Difference {
  /** If set to undefined, no body is sent. */
  readonly body?: Buffer | undefined;
  /** The media type of the body; the first declared one by default. */
  readonly content?: Content | undefined;
  /** Replaces the Content-Type header. */
  readonly contentType?: readonly Header[] | undefined;
  readonly credentials?: Credentials;
  /** Replaces the text of parameters. An empty list leaves a parameter out. */
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
  readonly headers?: readonly Header[];
  readonly query?: readonly string[];
  readonly cookies?: readonly string[];
}

export function toBody(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/**
 * Makes a request that an operation accepts, and applies `difference` to it. If the suite cannot make a valid value,
 * the request has a placeholder and a `skipReason`, so that no case expects a success.
 */
export function validRequest(values: Values, operation: Operation, difference: Difference = {}): WireRequest {
  const content = difference.content ?? operation.body?.contents[0];
  const skipReasons: SkippedError[] = [];
  const makeOrPlaceholder = <T>(make: () => T, placeholder: T): T =>
    attempt(make, (skipReason) => {
      skipReasons.push(skipReason);
      return placeholder;
    });
  const mayLackBody = operation.body?.isRequired === false && !difference.content && !difference.contentType;
  const makeBody = (): Buffer | undefined => content && baseBody(values, content);
  const makeBodyOrPlaceholder = (): Buffer | undefined =>
    mayLackBody
      ? content?.schema.contract.skipped.attempt(makeBody, undefined)
      : makeOrPlaceholder(makeBody, toBody('{}'));
  const body = 'body' in difference ? difference.body : makeBodyOrPlaceholder();
  const credentials = joinCredentials([
    difference.credentials ?? validCredentials(operation.securityRequirements[0] ?? []),
  ]);
  if (!difference.credentials && operation.skipReason) skipReasons.push(operation.skipReason);
  const texts = operation.parameters.map((parameter): SentParameter => {
    const changedText = difference.parameters?.get(parameter);
    if (changedText) return [parameter, changedText];
    const writeText = (): ParameterText =>
      writeParameter(parameter, createIdempotencyKey(values, parameter) ?? baseOfParameter(values, parameter));
    const canHaveValue = !isGivenByReply(parameter) || values.fixtures.places.has(parameter.pointer);
    if (!parameter.isRequired && !canHaveValue) return [parameter, NOT_SENT];
    if (!parameter.isRequired) return [parameter, parameter.schema.contract.skipped.attempt(writeText, NOT_SENT)];
    return [parameter, makeOrPlaceholder(writeText, parameter.in === 'path' ? ['x'] : NOT_SENT)];
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

/** Returns why a request may be invalid. Also checks the headers that the HTTP client sets itself. */
export function skipReasonOf(
  values: Values,
  { layerHeaders }: Operation,
  { skipReason, headers, body, framing = body ? 'length' : 'none' }: WireRequest,
): WireRequest['skipReason'] {
  const length = framing === 'length' ? (body?.length ?? 0) : undefined;
  // The real host is not known yet.
  const sentHeaders = new Map([
    ['host', 'localhost'],
    ...headers.map(([name, text]) => [name.toLowerCase(), text] as const),
  ]);
  const invalidHeader = layerHeaders.find((header) => {
    const value = isLength(header) ? length : sentHeaders.get(header.name.toLowerCase());
    if (value === undefined) return header.isRequired;
    return ![value, String(value)].some((reading) => fits(values, header.schema, reading));
  });
  return (
    skipReason ?? (invalidHeader && { reason: `a valid header ${invalidHeader.name}`, pointer: invalidHeader.pointer })
  );
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

/** Whether this is the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header). */
export function isIdempotencyKey({ in: location, name }: Parameter): boolean {
  return location === 'header' && name.toLowerCase() === 'idempotency-key';
}

// Section 2.7 of the draft: a server refuses a key that it has seen with another body, so each request has a new key.
function createIdempotencyKey(values: Values, parameter: Parameter): Json | undefined {
  if (!isIdempotencyKey(parameter) || values.fixtures.places.has(parameter.pointer)) return undefined;
  const uuid = randomUUID();
  return [uuid, uuid.replaceAll('-', ''), uuid.slice(0, 8)].find((key) => fits(values, parameter.schema, key));
}

/**
 * Prefers a fixture, then an example if the parameter is required, and then a generated value.
 *
 * @throws SkippedError if the suite cannot make a valid value
 */
export function baseOfParameter(values: Values, parameter: Parameter): Json {
  const { schema, skipReason, pointer } = parameter;
  const [fixture] = values.fixtures.places.get(pointer) ?? [];
  if (fixture !== undefined) return fixture;
  const entityTag = `"${values.marker}"`;
  if (isEntityTag(parameter) && fits(values, schema, entityTag)) return entityTag;
  // If a required parameter, such as a tenant name, has an unknown value, a server may refuse every request.
  const examples = parameter.isRequired ? [...(parameter.examples ?? []), ...examplesOf(schema)] : [];
  const example = examples.find((value) => fits(values, schema, value));
  if (example !== undefined) return example;
  if (skipReason) throw skipReason;
  const base = values.baseOf(schema);
  const alternatives = isSendable(parameter, base) ? [] : values.validValues(schema).map(({ value }) => value);
  return toJson(alternatives.find((value) => isSendable(parameter, value)) ?? base);
}

export function isSendable(parameter: Parameter, value: Wire): boolean {
  const text = textOf(parameter, value);
  // Servers limit the length of paths and headers.
  const isShort = text.length < 4_000;
  switch (parameter.in) {
    case 'query':
    case 'querystring':
      return text !== '';
    case 'cookie':
      // The style `cookie` does not encode characters that a cookie cannot contain (RFC 6265 section 4.1.1).
      return text !== '' && (parameter.style === 'form' || /^[!#-+\--:<-[\]-~,]+$/.test(text));
    case 'path': {
      // Clients and servers remove dot segments. A style can add a `.` or `;` to the text. Many servers refuse a NUL.
      const isEmptyOrDots = /^[.;]*$/.test(text);
      return !isEmptyOrDots && !text.includes('/') && !text.includes('%00') && isShort;
    }
    case 'header':
      // Printable ASCII. Leading and trailing white space is not part of a header's value.
      return isShort && /^[!-~](?:[ -~]*[!-~])?$/.test(text);
  }
}

function textOf(parameter: Parameter, value: Wire): string {
  try {
    return writeParameter(parameter, value).join('&');
  } catch (error) {
    // UTF-8 cannot encode a lone surrogate.
    if (error instanceof URIError) return '';
    throw error;
  }
}

/** Writes the marker into the last string property that allows it. */
export function withMarker(values: Values, schema: Schema, body: Json): Json {
  if (!isJsonObject(body) || !fits(values, schema, body)) return body;
  const markedBodies = [...propertiesOf(schema).keys()]
    .filter((name) => typeof body[name] === 'string')
    .map((name) => ({ ...body, [name]: values.marker }));
  return markedBodies.toReversed().find((marked) => fits(values, schema, marked)) ?? body;
}
