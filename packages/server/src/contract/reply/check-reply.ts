import { validateHeaderValue } from 'node:http';
import { toPlainBody, withNumbers } from './plain-reply';
import { toExactJson } from '../json/exact-json';
import type { MediaKind } from '../operation/media-type';
import type { BodyMedia, DeclaredReply } from '../operation/bodies-and-replies';
import type { EncodedReply } from '../http/write';
import { findReply } from '../operation/find-reply';
import type { Operation } from '../operation/operation';
import type { AssertMessage } from '../eov/eov';
import type { Notation } from '../operation/parameter';
import type { Shape } from '../document/shape';
import type { Groups } from '../operation/message';

/** A handler's reply, without its types, which the compiler checked. */
export interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Groups;
}

/** @throws Error unless the contract declares the status, with these headers and this body, for the operation */
export type ReplyCheck = (reply: UntypedReply) => EncodedReply;

const CONTENT_TYPE = 'Content-Type';

export function createReplyCheck(operation: Operation, validateReply: AssertMessage): ReplyCheck {
  return function checkReply({ status, body, headers: all }) {
    const declared = findReply(operation, status);
    if (!declared) throw new Error(`${operation.id} does not declare the status ${String(status)}`);
    const [named, headers] = splitType(all);
    const media = findMedia(declared, named);
    const message = media ?? declared.usual;
    const { shape } = message;
    const parts = declared.headers.length > 0 || Object.keys(headers).length > 0 ? { headers } : {};
    const plain = media?.kind === 'binary' ? withBytes(shape, parts, body) : toPlain(shape, parts, body);
    validateReply(message, withNumbers(shape, plain));
    return {
      headers: toHeaders(declared, plain.headers),
      type: media?.type,
      body: media ? toBytes(media.kind, plain.body, shape.holdsInt64) : '',
    };
  };
}

/** Has headers only if the reply has, or the contract declares, some. */
interface PlainReply {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

// Most replies name no media type, so avoid the copy of the headers.
function splitType(all: Groups): [named: unknown, headers: Groups] {
  if (!(CONTENT_TYPE in all)) return [undefined, all];
  const { [CONTENT_TYPE]: named, ...headers } = all;
  return [named, headers];
}

function toPlain(shape: Shape, parts: PlainReply, body: unknown): PlainReply {
  return toPlainBody(shape, body === undefined ? parts : { ...parts, body }) as PlainReply;
}

function withBytes(shape: Shape, parts: PlainReply, body: unknown): PlainReply {
  if (!Buffer.isBuffer(body)) throw new Error('response/body must be a Buffer');
  return { ...toPlain(shape, parts, undefined), body };
}

function findMedia({ media }: DeclaredReply, named: unknown): BodyMedia | undefined {
  if (named === undefined) return media.values().next().value;
  const found = typeof named === 'string' ? media.get(named) : undefined;
  if (!found) throw new Error('the media type is not declared');
  return found;
}

function toBytes(kind: MediaKind, body: unknown, holdsInt64: boolean): string | Buffer {
  if (kind !== 'json') return body as string | Buffer;
  return holdsInt64 ? toExactJson(body) : JSON.stringify(body);
}

function toHeaders({ headers }: DeclaredReply, values: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return headers.flatMap((header): [string, string][] => {
    const value = values[header.name];
    if (value === undefined) return [];
    const text = toHeaderText(header, value);
    // No CR or LF injection.
    validateHeaderValue(header.name, text);
    return [[header.name, text]];
  });
}

// Writes the value in the header's style (RFC 6570 section 3.2.2, without percent-encoding).
function toHeaderText({ style, form, explode }: Notation, value: unknown): string {
  if (style === 'json') return toExactJson(value);
  if (form === 'one') return String(value);
  if (form === 'list') return (value as unknown[]).map(String).join(',');
  const members = Object.entries(value as object).map(([name, member]) => [name, String(member)]);
  return members.map((pair) => pair.join(explode ? '=' : ',')).join(',');
}
