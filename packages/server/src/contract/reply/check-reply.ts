// Checks a handler's reply against the contract.
import { validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { findReplyMedia, toContent } from './reply-media';
import { toPlainBody, withNumbers } from './plain-reply';
import { toExactJson } from '../json/exact-json';
import { assertUnicode } from '../json/unpaired-surrogate';
import type { DeclaredReply, ReplyMedia } from '../operation/bodies-and-replies';
import type { EncodedReply } from '../http/write';
import { findReply } from '../operation/find-reply';
import type { Operation } from '../operation/operation';
import type { AssertMessage } from '../refusal/validator';
import type { Notation } from '../operation/notation';
import type { Shape } from '../document/shape';
import type { Groups } from '../operation/message';

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
    const { type, length, headers } = splitHeaders(allHeaders);
    const media = findReplyMedia(declared, type);
    // The schema for headers and body together; for a stream, one that allows any body.
    const message = (body instanceof Readable ? media?.streamed : undefined) ?? media ?? declared.defaultMessage;
    const { shape } = message;
    const parts = declared.headers.length > 0 || Object.keys(headers).length > 0 ? { headers } : {};
    // Bytes and streams are sent unchanged; any other body is copied, so that it cannot change after the check.
    const isCopied = !media || !isSentUnchanged(media, body);
    const plain = isCopied ? toPlain(shape, parts, body) : withBodyUnchanged(shape, parts, body);
    validateReply(message, withNumbers(shape, plain));
    if (plain.headers) assertUnicode(toExactJson(plain.headers));
    return {
      headers: toHeaders(declared, plain.headers),
      ...(media ? toContent(media, { type, length, body: plain.body }) : NO_CONTENT),
    };
  };
}

/** The value of a reply's message. It has headers only if the reply has, or the contract declares, some. */
interface PlainReply {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface SplitHeaders {
  readonly type?: unknown;
  readonly length?: unknown;
  readonly headers: Groups;
}

// Takes Content-Type and Content-Length out of a reply's headers. Most replies have neither: then no copy is made.
function splitHeaders(allHeaders: Groups): SplitHeaders {
  if (!(CONTENT_TYPE in allHeaders) && !(CONTENT_LENGTH in allHeaders)) return { headers: allHeaders };
  const { [CONTENT_TYPE]: type, [CONTENT_LENGTH]: length, ...headers } = allHeaders;
  return { type, length, headers };
}

function toPlain(shape: Shape, parts: PlainReply, body: unknown): PlainReply {
  return toPlainBody(shape, body === undefined ? parts : { ...parts, body }) as PlainReply;
}

function isSentUnchanged({ kind }: ReplyMedia, body: unknown): boolean {
  return kind === 'binary' || (kind === 'text' && body instanceof Readable);
}

function withBodyUnchanged(shape: Shape, parts: PlainReply, body: unknown): PlainReply {
  if (!Buffer.isBuffer(body) && !(body instanceof Readable)) {
    throw new Error('response/body must be a Buffer or a Readable');
  }
  return { ...toPlain(shape, parts, undefined), body };
}

function toHeaders({ headers }: DeclaredReply, values: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return headers.flatMap((header): [string, string][] => {
    // Every object has names such as toString.
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
  if (form === 'array') return (value as unknown[]).map((item) => (isText(item) ? item : toExactJson(item))).join(',');
  const members = Object.entries(value as object).map(([name, member]) => [name, String(member)]);
  return members.map((pair) => pair.join(explode ? '=' : ',')).join(',');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
