import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import {
  assertUnicode,
  findMedia,
  findReply,
  isConnectionHeader,
  isContentLength,
  isJson,
  isKitHeader,
  isRange,
  itemShape,
  JSON_TYPE,
  narrowShape,
  parseHeaderValue,
  parseMediaType,
  propertyShape,
  rank,
  setMember,
  toExactJson,
  type DeclaredReply,
  type Groups,
  type MessageSchema,
  type Operation,
  type ReplyHeader,
  type ReplyMedia,
  type Shape,
} from '@contract-kit/contract';
import type { EncodedReply } from '../http/write';
import { toFault as toPlacedFault, type Fault, type RequestFault } from '../errors/refusal';
import { ValidationError, type JudgeMessage, type Validator } from '../validate/validator';
import { writeItem } from '../items/framing';
import { ReplyItems } from './reply-items';

/** A handler's reply, whose types the compiler has already checked. */
export interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Groups;
}

/** Thrown if a reply does not match the contract. `cause` says why. */
export class ReplyError extends Error {
  readonly code = 'INVALID_REPLY';

  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

/**
 * Checks a reply, and encodes it.
 *
 * @param onUndeclared called for each undeclared or writeOnly property, which is then left out; the default throws
 * @throws Error unless the contract declares the status with these headers and this body
 */
export type ReplyCheck = (reply: UntypedReply, onUndeclared?: OnUndeclared) => EncodedReply;

type OnUndeclared = (fault: RequestFault) => void;

const refuse = (fault: RequestFault): never => {
  throw new ValidationError([fault]);
};
const toFault = (pointer: string, rule: string, problem: string): RequestFault => {
  return { pointer, rule, message: `response${pointer} ${problem}` };
};

const CONTENT_TYPE = 'Content-Type';
const CONTENT_LENGTH = 'Content-Length';
const NO_CONTENT = { type: undefined, length: undefined, body: '' };

export function createReplyCheck(
  operation: Operation,
  { judgeReply, judgeReplyItem }: Pick<Validator, 'judgeReply' | 'judgeReplyItem'>,
): ReplyCheck {
  return function checkReply({ status, body, headers: allHeaders }, onUndeclared = refuse) {
    const declared = findReply(operation, status);
    if (!declared) {
      const message = `${operation.id} does not declare the status ${String(status)}`;
      throw new ValidationError([{ pointer: '', rule: 'status', message }]);
    }
    const { [CONTENT_TYPE]: type, ...givenHeaders } = toDeclaredNames(allHeaders, declared.headers);
    const { [CONTENT_LENGTH]: length, ...otherHeaders } = givenHeaders;
    // A handler may set Content-Length for a stream. For any other body, the contract must declare the header.
    const hasStreamLength = body instanceof Readable && isLength(length) && !declared.headers.some(isContentLength);
    const headers = hasStreamLength ? otherHeaders : givenHeaders;
    const media = findReplyMedia(declared, type);
    // One schema covers the headers and the body. The schema for a stream allows any body.
    const message = (body instanceof Readable ? media?.streamed : undefined) ?? media ?? declared.defaultMessage;
    const hasHeaders = declared.headers.length > 0 || Object.values(headers).some((value) => value !== undefined);
    const bodilessReply = hasHeaders ? { headers } : {};
    // Bytes and streams are sent unchanged. Any other body is copied, so that it cannot change after the check.
    const isUnchanged = media?.kind === 'binary' || (media?.kind === 'text' && body instanceof Readable);
    if (isUnchanged && !isBytes(body)) throw new Error('response/body must be a Blob, a Buffer or a Readable');
    const reply = isUnchanged || media?.item || body === undefined ? bodilessReply : { ...bodilessReply, body };
    const check = { judge: judgeReply, onUndeclared };
    const { copy, bigints } = checkValue(check, message, reply, isUnchanged ? body : undefined);
    return {
      headers: toHeaders(declared, copy.headers),
      ...(media
        ? {
            type: chooseContentType(media, type, body),
            length: hasStreamLength ? Number(length) : undefined,
            // This comes last, so that an iterator is started only if all checks have passed.
            body: media.item
              ? new ReplyItems(body, encodeItem.bind(undefined, media, media.item, onUndeclared))
              : encodeBody(media, copy, bigints),
          }
        : NO_CONTENT),
    };
  };

  function encodeItem(media: ReplyMedia, message: MessageSchema, onUndeclared: OnUndeclared, body: unknown): string {
    const { copy, bigints } = checkValue({ judge: judgeReplyItem, onUndeclared }, message, { body });
    replaceBigints(bigints);
    return writeItem(media, copy.body, toUnicodeJson);
  }
}

// Spells header names as the contract does, since their case has no meaning (RFC 9110 section 5.1).
function toDeclaredNames(given: Groups, declared: readonly ReplyHeader[] = []): Groups {
  const renamedHeaders: Groups = {};
  for (const givenName of Object.keys(given)) {
    const isSame = (name: string): boolean => name.toLowerCase() === givenName.toLowerCase();
    const name = declared.find((header) => isSame(header.name))?.name ?? [CONTENT_TYPE, CONTENT_LENGTH].find(isSame);
    setMember(renamedHeaders, name ?? givenName, given[givenName]);
  }
  return renamedHeaders;
}

function checkValue(
  { judge, onUndeclared }: { readonly judge: JudgeMessage; readonly onUndeclared: OnUndeclared },
  message: MessageSchema,
  reply: object,
  bytes?: unknown,
): { copy: PlainReply; bigints: CopiedBigint[] } {
  const bigints: CopiedBigint[] = [];
  const copy: PlainReply = copyReply(message.shape, reply, { bigints, onUndeclared });
  if (bytes !== undefined) copy.body = bytes;
  const faults = judge(message, copy);
  if (faults.length > 0) throw new ValidationError(faults);
  return { copy, bigints };
}

function toUnicodeJson(value: unknown): string {
  const text = JSON.stringify(value);
  assertUnicode(text);
  return text;
}

/** Lists the faults of a refused reply, each with its place in the contract. */
export function toReplyFaults(operation: Operation, { status, headers }: UntypedReply, cause: unknown): Fault[] {
  const wholeReplyFault = { pointer: '', rule: 'reply', message: (cause as Error).message };
  const faults = cause instanceof ValidationError ? cause.faults : [wholeReplyFault];
  const declared = findReply(operation, status);
  const { [CONTENT_TYPE]: type } = toDeclaredNames(headers, declared?.headers);
  const media = typeof type === 'string' && declared ? findMedia(declared.media, type) : undefined;
  const shape = (media ?? declared?.defaultMessage)?.shape;
  return faults.map((fault) => (shape ? toPlacedFault(shape, fault) : { ...fault, place: fault.pointer }));
}

/** Encodes an invalid reply as Express would. @throws Error for anything that HTTP or JSON cannot express */
export function encodeUnchecked(operation: Operation, { status, body, headers }: UntypedReply): EncodedReply {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new Error(`${String(status)} is not a status`);
  const byName = new Map(Object.entries(headers).map((header) => [header[0].toLowerCase(), header] as const));
  const [sentType, length] = [CONTENT_TYPE, CONTENT_LENGTH].map((name) => byName.get(name.toLowerCase())?.[1]);
  // RFC 9110 section 7.6.1: connection headers, and the headers that Connection lists, must not be forwarded.
  const connectionOptions = String(byName.get('connection')?.[1])
    .toLowerCase()
    .split(/[\s,]+/);
  const sentHeaders = [...byName].flatMap(([key, [name, value]]): [string, string][] => {
    validateHeaderName(name);
    if (isKitHeader(key) || isConnectionHeader(key) || connectionOptions.includes(key)) return [];
    return [value ?? []].flat().map((item: unknown) => {
      validateHeaderValue(name, toText(item));
      return [name, toText(item)];
    });
  });
  if (body === undefined) return { headers: sentHeaders, ...NO_CONTENT };
  const [media] = findReply(operation, status)?.media.values() ?? [];
  const type = typeof sentType === 'string' ? sentType : media && !isRange(media.declared) ? media.type : JSON_TYPE;
  validateHeaderValue(CONTENT_TYPE, type);
  const parsedType = parseMediaType(type);
  const isText = typeof body === 'string' && !(parsedType && isJson(parsedType));
  const content = isBytes(body) || isText ? body : toExactJson(body);
  const hasLength = body instanceof Readable && isLength(length);
  return { headers: sentHeaders, type, length: hasLength ? Number(length) : undefined, body: content };
}

function isBytes(body: unknown): body is Blob | Buffer | Readable {
  return body instanceof Blob || Buffer.isBuffer(body) || body instanceof Readable;
}

interface PlainReply {
  readonly headers?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** A bigint that a double cannot represent, in the copy of a reply. */
interface CopiedBigint {
  readonly holder: object;
  readonly name: string;
  readonly value: bigint;
}

interface CopyResults {
  readonly bigints: CopiedBigint[];
  readonly onUndeclared: OnUndeclared;
}

const WRITE_ONLY = ['writeOnly', 'is writeOnly, and must not be in a reply'] as const;
const UNDECLARED = ['undeclared', 'is not declared by the contract'] as const;

// Replaces bigints with raw JSON, so that JSON.stringify calls no toJSON that a service may have added to BigInt.prototype.
function replaceBigints(members: readonly CopiedBigint[]): void {
  for (const { holder, name, value } of members)
    setMember(holder as Record<string, unknown>, name, JSON.rawJSON(String(value)));
}

function toHeaders({ headers }: DeclaredReply, values: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return headers.flatMap((header): [string, string][] => {
    const value = Object.hasOwn(values, header.name) ? values[header.name] : undefined;
    if (value === undefined) return [];
    // In a header that is a plain string, validateHeaderValue below refuses any surrogate.
    if (header.style === 'json' || typeof value === 'object') assertUnicode(toExactJson(value));
    // RFC 9110 section 5.3: Set-Cookie headers must not be joined by commas.
    const isCookies = header.form === 'array' && header.name.toLowerCase() === 'set-cookie';
    const texts = isCookies ? (value as unknown[]).map(toText) : [toHeaderText(header, value)];
    return texts.map((text) => {
      // Rejects CR and LF, to prevent header injection.
      validateHeaderValue(header.name, text);
      if (isContentLength(header) && !/^\d+$/.test(text)) throw new Error(`${header.name} must be a number of bytes`);
      return [header.name, text];
    });
  });
}

// Follows RFC 6570 section 3.2.2, but without percent-encoding, so a comma inside a value would look like a separator.
function toHeaderText({ name: header, style, form, explode }: ReplyHeader, value: unknown): string {
  if (style === 'json') return toAsciiJson(value);
  if (form === 'scalar') return toText(value);
  const texts = Object.entries(value as object).map(([name, member]) => {
    // Commas in JSON are safe, because they are inside brackets or quotes.
    const hasComma = (typeof member === 'string' && member.includes(',')) || name.includes(',');
    if (hasComma)
      throw new Error(`response/headers/${header}/${name} has a comma, which separates the values of a header`);
    return form === 'array' ? toText(member) : `${name}${explode ? '=' : ','}${toText(member)}`;
  });
  return texts.join(',');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : toAsciiJson(value);
}

// Headers should be ASCII (RFC 9110 section 5.5), and JSON can escape all other characters (RFC 8259 section 7).
function toAsciiJson(value: unknown): string {
  return toExactJson(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Copies a reply to plain data, because a getter could return another value after the check. Leaves out undefined properties,
 * calls `toJSON`, and converts a bigint to a number if no digits are lost.
 *
 * @throws Error for anything that JSON cannot express, and for an int64 that is not a bigint
 */
function copyReply(declared: Shape | undefined, value: object, results: CopyResults, path = ''): object {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      const item = toPlain(value[index], path, index);
      const shape = itemShape(declared, index);
      const clone = isObject(item)
        ? copyReply(shape, item, results, `${path}/${String(index)}`)
        : copyScalar(shape, item, path, index);
      if (typeof clone === 'bigint') results.bigints.push({ holder: items, name: String(index), value: clone });
      items.push(clone);
    }
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // In Jest, Node's objects have a different Object.prototype, so accept any prototype without a prototype of its own.
  if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new Error(`response${path} is not a plain object, and no toJSON() makes it one: map it to one`);
  const shape = declared && narrowShape(declared, value);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = toPlain((value as Readonly<Record<string, unknown>>)[name], path, name);
    if (member === undefined) continue;
    const child = propertyShape(shape, name);
    const isWriteOnly = shape?.excluded.has(name) === true;
    if (isWriteOnly || (shape && !child && !shape.keepsUndeclared)) {
      const [rule, problem] = isWriteOnly ? WRITE_ONLY : UNDECLARED;
      results.onUndeclared(toFault(`${path}/${name}`, rule, problem));
      continue;
    }
    const clone = isObject(member)
      ? copyReply(child, member, results, `${path}/${name}`)
      : copyScalar(child, member, path, name);
    if (typeof clone === 'bigint') results.bigints.push({ holder: copy, name, value: clone });
    setMember(copy, name, clone);
  }
  return copy;
}

function copyScalar(shape: Shape | undefined, value: unknown, path: string, name: string | number): unknown {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' && typeof value !== 'bigint') return assertScalar(value, `${path}/${String(name)}`);
  if (shape?.isInt64 === true && !shape.allowsOtherNumbers && typeof value === 'number') {
    const format = shape.int64Formats.join(' or ');
    refuse(toFault(`${path}/${String(name)}`, format, `must be a bigint in the range of ${format}`));
  }
  const double = Number(value);
  if (!Number.isFinite(double))
    throw new Error(`response${path}/${String(name)} is ${String(double)}, which JSON cannot express`);
  return typeof value === 'number' || Number.isSafeInteger(double) ? double : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

// Calls toJSON with the key, which is empty for a whole body (ECMA-262, SerializeJSONProperty, step 2). Headers are not JSON.
function toPlain(value: unknown, path: string, key: string | number): unknown {
  if (!isObject(value)) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON !== 'function' || path.startsWith('/headers')) return value;
  return Reflect.apply(toJSON, value, [path === '' ? '' : String(key)]);
}

function assertScalar(value: unknown, path: string): boolean | null {
  if (typeof value === 'boolean' || value === null) return value;
  throw new Error(`response${path} is ${value === undefined ? '' : 'a '}${typeof value}, which JSON cannot express`);
}

/** Finds the body declared for a Content-Type; without the header, the first body. @throws Error if the type is not declared */
function findReplyMedia({ media }: DeclaredReply, contentType: unknown): ReplyMedia | undefined {
  if (contentType === undefined) return media.values().next().value;
  const declaredMedia = typeof contentType === 'string' ? findMedia(media, contentType) : undefined;
  if (!declaredMedia) {
    const message = 'the media type is not declared';
    throw new ValidationError([{ pointer: '/body', rule: 'contentType', message }]);
  }
  return declaredMedia;
}

// A handler, or its Blob, can choose a type in a range such as `image/*`, or add parameters to the declared type.
function chooseContentType({ type, declared, kind }: ReplyMedia, contentType: unknown, body: unknown): string {
  if (kind === 'json' && (contentType === undefined || contentType === type)) return type;
  const givenType = [contentType, !isRange(declared) && body instanceof Blob && body.type].find((text) => {
    const sent = typeof text === 'string' ? parseMediaType(text) : undefined;
    return sent && rank(declared, sent) > 0 && (isRange(declared) || String(text).includes(';'));
  });
  // If the schema of a range describes JSON, `type` is application/json.
  const chosenType = typeof givenType === 'string' ? givenType : type;
  if (chosenType.includes('*')) throw new Error(`${type} is a range of media types: name one in Content-Type`);
  // A multipart type needs a boundary (RFC 2046 section 5.1.1).
  if (/^multipart\//i.test(chosenType) && parseHeaderValue(chosenType)?.parameters.has('boundary') !== true)
    throw new Error(`${chosenType} needs a boundary: name it in Content-Type, or in the type of a Blob`);
  validateHeaderValue('Content-Type', chosenType);
  return chosenType;
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function encodeBody(media: ReplyMedia, copy: PlainReply, bigints: readonly CopiedBigint[]): EncodedReply['body'] {
  const { kind } = media;
  if (kind === 'json' || kind === 'list') replaceBigints(bigints);
  const { body } = copy;
  if (kind === 'json') return toUnicodeJson(body);
  if (kind === 'list') return (body as unknown[]).map((item) => writeItem(media, item, toUnicodeJson)).join('');
  if (isBytes(body)) return body;
  if (typeof body === 'string') {
    toUnicodeJson(body);
    return body;
  }
  if (typeof body !== 'number' && typeof body !== 'bigint' && typeof body !== 'boolean') {
    throw new Error('response/body must be a string');
  }
  return String(body);
}
