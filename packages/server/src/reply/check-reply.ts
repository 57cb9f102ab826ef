// Checks a handler's reply against the contract.
import { validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { toExactJson, assertUnicode } from '../contract/json/exact-json';
import { findReply, findMedia, type DeclaredReply, type ReplyMedia, type Groups } from '../contract/operation/message';
import type { EncodedReply } from '../http/write';
import type { Operation } from '../contract/operation/operation';
import type { AssertMessage } from '../validate/validator';
import type { Notation } from '../contract/operation/parameters';
import { propertyShape, itemShape, narrowShape, type Shape } from '../contract/int64/shape';
import { findBrokenRule } from '../contract/int64/exact-rules';
import { isInt64, rememberExact, setMember } from '../contract/json/int64';
import { isRange, JSON_TYPE } from '../contract/operation/media-type';

/** A handler's reply, without its types, which the compiler checked. */
export interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Groups;
}

/** Checks a reply, and encodes it. @throws Error unless the contract declares the status, with these headers and this body */
export type ReplyCheck = (reply: UntypedReply) => EncodedReply;

const CONTENT_TYPE = 'Content-Type';
const CONTENT_LENGTH = 'Content-Length';
const NO_CONTENT = { type: undefined, length: undefined, body: '' };

export function createReplyCheck(operation: Operation, validateReply: AssertMessage): ReplyCheck {
  return function checkReply({ status, body, headers: allHeaders }) {
    const declared = findReply(operation, status);
    if (!declared) throw new Error(`${operation.id} does not declare the status ${String(status)}`);
    const { [CONTENT_TYPE]: type, [CONTENT_LENGTH]: length, ...headers } = allHeaders;
    const media = findReplyMedia(declared, type);
    // The schema for headers and body together; for a stream, one that allows any body.
    const message = (body instanceof Readable ? media?.streamed : undefined) ?? media ?? declared.defaultMessage;
    const { shape } = message;
    const withoutBody = declared.headers.length > 0 || Object.keys(headers).length > 0 ? { headers } : {};
    // Bytes and streams are sent unchanged; any other body is copied, so that it cannot change after the check.
    const isUnchanged = media?.kind === 'binary' || (media?.kind === 'text' && body instanceof Readable);
    if (isUnchanged && !Buffer.isBuffer(body) && !(body instanceof Readable)) {
      throw new Error('response/body must be a Buffer or a Readable');
    }
    const plain = copyReply(
      shape,
      isUnchanged || body === undefined ? withoutBody : { ...withoutBody, body },
    ) as PlainReply;
    const copied = isUnchanged ? { ...plain, body } : plain;
    validateReply(message, toDoubles(shape, copied));
    if (copied.headers) assertUnicode(toExactJson(copied.headers));
    return {
      headers: toHeaders(declared, copied.headers),
      ...(media
        ? {
            type: chooseContentType(media, type),
            length: checkContentLength(length, copied.body),
            body: encodeBody(media, copied.body),
          }
        : NO_CONTENT),
    };
  };
}

/** The value of a reply's message. It has headers only if the reply has, or the contract declares, some. */
interface PlainReply {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function toHeaders({ headers }: DeclaredReply, values: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return headers.flatMap((header): [string, string][] => {
    // Object.hasOwn, since every object inherits names such as toString.
    const value = Object.hasOwn(values, header.name) ? values[header.name] : undefined;
    if (value === undefined) return [];
    const text = toHeaderText(header, value);
    // Refuses CR and LF, against header injection.
    validateHeaderValue(header.name, text);
    return [[header.name, text]];
  });
}

// Writes the value in the header's style (RFC 6570 section 3.2.2, without percent-encoding).
function toHeaderText({ style, form, explode }: Notation, value: unknown): string {
  if (style === 'json') return toExactJson(value);
  if (form === 'scalar') return String(value);
  if (form === 'array')
    return (value as unknown[]).map((item) => (typeof item === 'string' ? item : toExactJson(item))).join(',');
  const members = Object.entries(value as object).map(([name, member]) => [name, String(member)]);
  return members.map((pair) => pair.join(explode ? '=' : ',')).join(',');
}

/**
 * Copies a reply to plain data, so that the very values are written that were validated: a getter could return others.
 *
 * @throws Error for an undeclared property, for what is no plain data, and for an int64 that is not a bigint in range
 */
function copyReply(declared: Shape | undefined, value: unknown, path = 'response'): unknown {
  if (declared?.isInt64 && (typeof value === 'number' || typeof value === 'bigint'))
    return checkInt64(declared, value, path);
  if (typeof value === 'function') throw new Error(`${path} is a function`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => copyReply(itemShape(declared, index), item, `${path}/${String(index)}`));
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Error(`${path} is not a plain object`);
  const shape = declared && narrowShape(declared, value);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const child = propertyShape(shape, key);
    if (shape?.excluded.has(key)) {
      if (member === undefined) continue;
      throw new Error(`${path}/${key} is writeOnly: no reply has it`);
    }
    if (shape && !child && !shape.keepsUndeclared) throw new Error(`${path}/${key} is not declared by the contract`);
    // Skip strings early: most members are strings.
    setMember(copy, key, typeof member === 'string' ? member : copyReply(child, member, `${path}/${key}`));
  }
  return copy;
}

// Throws unless it is a bigint in range, or another number that an alternative allows (allowsOtherNumbers).
function checkInt64(shape: Shape, value: bigint | number, path: string): bigint | number {
  if (typeof value === 'number' ? !shape.allowsOtherNumbers : !isInt64(value)) {
    throw new Error(`${path} must be a bigint in the range of int64`);
  }
  // The rule is checked by all digits; `brokenRule` is such as `be > 5`.
  const brokenRule = typeof value === 'bigint' ? findBrokenRule(shape, value) : undefined;
  if (brokenRule !== undefined) throw new Error(`${path} must ${brokenRule}`);
  return value;
}

/** Copies a body with each bigint as a number, for express-openapi-validator, which does not support bigint. */
function toDoubles(shape: Shape | undefined, value: unknown): unknown {
  if (shape?.isInt64 && typeof value === 'bigint') return Number(value);
  // Most values have no int64s inside: these are not copied.
  if (!shape?.holdsInt64 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const doubles = value.map((item, index) => toDoubles(itemShape(shape, index), item));
    rememberExact(doubles, value);
    return doubles;
  }
  const members = Object.entries(value).map(([key, member]) => [key, toDoubles(propertyShape(shape, key), member)]);
  return Object.fromEntries(members) as unknown;
}

/** The body of the handler's Content-Type, by default the first one. @throws Error when it is not declared */
function findReplyMedia({ media }: DeclaredReply, contentType: unknown): ReplyMedia | undefined {
  if (contentType === undefined) return media.values().next().value;
  const found = typeof contentType === 'string' ? findMedia(media, contentType) : undefined;
  if (!found) throw new Error('the media type is not declared');
  return found;
}

// Returns the declared media type; for a range such as `image/*`, the Content-Type that the handler set.
function chooseContentType({ type, declared }: ReplyMedia, contentType: unknown): string {
  // A range whose schema describes JSON has the type application/json: the handler need not name it.
  if (!isRange(declared) || (contentType === undefined && type === JSON_TYPE)) return type;
  if (typeof contentType !== 'string') throw new Error(`${type} is a range of media types: name one in Content-Type`);
  // Refuses CR and LF, against header injection.
  validateHeaderValue('Content-Type', contentType);
  return contentType;
}

/** Checks the Content-Length that a handler set. Only a stream has one: the bytes of any other body are counted. */
function checkContentLength(length: unknown, body: unknown): number | undefined {
  if (length === undefined) return undefined;
  const isLength = Number.isSafeInteger(length) && Number(length) >= 0;
  if (!isLength || !(body instanceof Readable)) throw new Error('Content-Length is for streams, a count of bytes');
  return Number(length);
}

function encodeBody({ kind, shape }: ReplyMedia, body: unknown): EncodedReply['body'] {
  if (kind === 'json') {
    // Only bigints need toExactJson, which is slower.
    const text = shape.holdsInt64 ? toExactJson(body) : JSON.stringify(body);
    assertUnicode(text);
    return text;
  }
  if (Buffer.isBuffer(body) || body instanceof Readable) return body;
  if (typeof body === 'string') {
    assertUnicode(JSON.stringify(body));
    return body;
  }
  if (typeof body !== 'number' && typeof body !== 'bigint' && typeof body !== 'boolean') {
    throw new Error('response/body must be a text');
  }
  return String(body);
}
