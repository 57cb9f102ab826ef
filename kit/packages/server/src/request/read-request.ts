// Reads the parameters and the body of a request, even if other middleware has already read the body.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  findMedia,
  holdsBigint,
  isRange,
  parseExactJson,
  parseMediaType,
  readScalar,
  readUtf8,
  tryDecodeForm,
  type BodyMedia,
  type Groups,
  type MessageSchema,
  type Operation,
} from '@contract-kit/contract';
import { allowTime, isFramed } from '../http/request-time';
import {
  createBufferSink,
  isBodyReadAlready,
  isEmpty,
  negotiateBody,
  receiveBody,
  type BodyLimits,
  type BodySink,
} from './receive-body';
import { createBodyBudget, createBodyBuffer } from './body-budget';
import { limitOf } from './body-limit';
import { createByteStore } from './store-bytes';
import type { TemporaryFile } from './temporary-files';
import { Refusal } from '../errors/refusal';
import { createParameterReader, decodePercent, type ParameterTexts } from './parameters';
import { toFieldRefusal, UnreadableText } from './read-value';
import { createRequestItems, type RequestItems } from './request-items';
import { readItems } from '../items/framing';
import { createFormSink, parseForm } from './parse-form';

/** A request that was parsed, but not validated. */
export interface ReadRequest {
  readonly message: MessageSchema;
  /** The value of the message. An int64 beyond 2^53 is a bigint. */
  readonly value: Groups;
  readonly unknownNames: readonly string[];
  /** The media type of the body as the contract spells it; for a range, in lower case and without parameters. */
  readonly contentType: string | undefined;
  /** The temporary file with the body, which the caller removes; undefined if the body is in memory. */
  readonly file: TemporaryFile | undefined;
  readonly items?: RequestItems;
}

/** @throws Refusal when a request cannot be read */
export type RequestReader = (req: IncomingMessage, res: ServerResponse, texts: ParameterTexts) => Promise<ReadRequest>;

interface ReadOptions {
  /** Whether the next route reads files and forms with files that have not been read yet. The value then has no body. */
  readonly leavesBody?: boolean;
  readonly undeclaredQuery?: 'refuse' | 'ignore' | undefined;
}

/** Reads a request as one of the operation's messages: there is one for each media type of the body, and one without a body. */
export function createRequestReader(
  operation: Operation,
  limits: BodyLimits,
  { leavesBody = false, undeclaredQuery }: ReadOptions,
): RequestReader {
  const { body, messageWithoutBody } = operation;
  const readParameters = createParameterReader(operation);
  const readQuery = operation.querystring && createQuerystringReader(operation.querystring, operation);
  return async function readRequest(req, res, texts) {
    const parameters = readParameters(readQuery ? { ...texts, query: '' } : texts);
    const { value } = parameters;
    const unknownNames = undeclaredQuery === 'ignore' ? [] : parameters.unknownNames;
    const bodilessRequest = { value, unknownNames, contentType: undefined, file: undefined };
    const querystring = readQuery?.(texts.query);
    if (querystring !== undefined) value['querystring'] = querystring;
    // RFC 9110 section 8.3: only content needs a Content-Type.
    const declaredMedia = body && isFramed(req) ? findMedia(body.media, req.headers['content-type'] ?? '') : undefined;
    if (body && isFramed(req) && (declaredMedia || !(await isEmpty(req, res, limits)))) {
      const media = negotiateBody(req, body, declaredMedia);
      const limit = limitOf(media, body, limits.limit);
      if (media.item) {
        const chunks = isBodyReadAlready(req) ? [recoverBodyBytes(req, media, leavesBody)] : undefined;
        const items = createRequestItems(req, res, media, { ...limits, limit, chunks });
        return { ...bodilessRequest, message: media, contentType: nameMedia(media, req), items };
      }
      const announcedLength = Number(req.headers['content-length'] ?? limit);
      if (announcedLength > limit) throw new Refusal('BODY_TOO_LARGE');
      if (body.limit !== undefined) allowTime(req, announcedLength);
      if (leavesBody && !PARSERS[media.kind] && !isBodyReadAlready(req)) return { ...bodilessRequest, message: media };
      const { parsed, file } =
        leavesBody || isBodyReadAlready(req)
          ? await rereadBody(req, recoverBodyBytes(req, media, leavesBody), media, { ...limits, limit })
          : await receiveBody(req, res, limit, (drop) => createBodySink(req, media, { ...limits, limit }, drop));
      if (parsed !== undefined) {
        value['body'] = parsed;
        return { message: media, value, unknownNames, contentType: nameMedia(media, req), file };
      }
    }
    if (!messageWithoutBody) throw new Refusal('BODY_REQUIRED');
    return { ...bodilessRequest, message: messageWithoutBody };
  };
}

interface ReadBody {
  /** Undefined for empty JSON or an empty form, which counts as no body. */
  readonly parsed: unknown;
  readonly file: TemporaryFile | undefined;
}

function createBodySink(
  req: IncomingMessage,
  media: BodyMedia,
  limits: BodyLimits,
  drop: () => void,
): BodySink<ReadBody> {
  if (media.kind !== 'binary' && media.kind !== 'multipart') {
    return createBufferSink(req, limits.budget, drop, (bytes) => ({
      parsed: parseText(media, bytes),
      file: undefined,
    }));
  }
  const byteStore = createByteStore(limits, drop);
  const contentType = String(req.headers['content-type']);
  if (media.kind === 'binary') {
    const type = contentType.replace(/^[^;]+/, (name) => name.toLowerCase());
    const toValue = async (): Promise<Blob> => {
      const blob = await byteStore.toBlob();
      // slice() would change the type, including its boundary, to lower case.
      return Object.defineProperty(blob.slice(0, blob.size, type), 'type', { value: type });
    };
    return { ...byteStore, end: async () => ({ parsed: await toValue(), file: byteStore.file() }) };
  }
  // Created at the first byte, because an empty form is not well-formed, but counts as no body.
  let sink: BodySink<object> | undefined;
  return {
    add: (chunk) => {
      sink ??= createFormSink(media, contentType, byteStore, createBodyBuffer(limits.budget, drop));
      return sink.add(chunk);
    },
    end: async () => ({ parsed: await sink?.end(), file: byteStore.file() }),
    discard: () => {
      (sink ?? byteStore).discard();
    },
  };
}

function parseText(
  media: Pick<BodyMedia, 'kind' | 'shape' | 'form' | 'framing' | 'jsonEvents'>,
  bytes: Buffer,
  name: 'body' | 'querystring' = 'body',
): unknown {
  const shape = media.shape.properties.get(name);
  if (media.kind === 'list') return [...readItems(media, bytes, shape)];
  if (media.kind === 'form') return parseForm(media, bytes, name);
  if (media.kind === 'text') return readScalar(shape, readUtf8(bytes));
  return bytes.length === 0 ? undefined : parseExactJson(bytes, shape);
}

// OpenAPI 3.2, Parameter Object: the whole query is a form or percent-encoded text. Unless it is required, '' counts as missing.
function createQuerystringReader(
  { media, isRequired, shape }: NonNullable<Operation['querystring']>,
  { security }: Operation,
): (query: string) => unknown {
  const apiKeys = new Set(security.flat().flatMap(({ key }) => (key?.location === 'query' ? key.name : [])));
  const isApiKey = (pair: string): boolean => apiKeys.has(String(tryDecodeForm(pair.split('=', 1).join())));
  return (query) => {
    try {
      const isForm = media.kind === 'form';
      const queryWithoutApiKeys =
        apiKeys.size === 0
          ? query
          : query
              .split('&')
              .filter((pair) => !isApiKey(pair))
              .join('&');
      const text = isForm ? queryWithoutApiKeys : decodePercent(query);
      if (text === '' && !isRequired) return undefined;
      return parseText({ ...media, shape }, Buffer.from(text), 'querystring');
    } catch (cause) {
      throw toFieldRefusal(cause, '/querystring');
    }
  };
}

function nameMedia({ type, declared }: BodyMedia, { headers }: IncomingMessage): string {
  return isRange(declared) ? String(parseMediaType(String(headers['content-type']))?.name) : type;
}

/** Express's parser for each kind of body, and the types of its results. The mode `requests` leaves files and items to the route. */
export const PARSERS: Readonly<Partial<Record<BodyMedia['kind'], readonly [name: string, ...types: string[]]>>> = {
  json: ['json', 'object', 'number', 'boolean'],
  form: ['urlencoded', 'object'],
  text: ['text', 'string'],
  list: ['raw'],
};

export function createRawBodyError({ kind, type }: BodyMedia): Error {
  const parser = `express.${PARSERS[kind]?.[0] ?? 'raw'}({ verify: keepRawBody })`;
  return new Error(`No parser in front of the contract has kept the bytes of the body, as ${parser} does for ${type}. \
Where a handler answers, the contract may also be mounted in front of the parser.`);
}

// The character that decoders put in place of bytes that are not UTF-8.
const REPLACEMENT_CHARACTER = '\ufffd';

export type ParsedRequest = IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown };

/**
 * Keeps the bytes of a body that one of Express's parsers reads, so that the contract can read them again.
 *
 * @example app.use(express.json({ verify: keepRawBody }));
 */
export function keepRawBody(req: IncomingMessage, _res: unknown, bytes: Buffer): void {
  Object.assign(req, { rawBody: bytes });
}

/**
 * Parses a body that other middleware has already read.
 *
 * @throws Refusal when the body does not match its media type; Error when it is not certain what was sent
 */
async function rereadBody(req: ParsedRequest, bytes: Buffer, media: BodyMedia, limits: BodyLimits): Promise<ReadBody> {
  if (bytes.length > limits.limit) throw new Refusal('BODY_TOO_LARGE');
  let sink: BodySink<ReadBody> | undefined;
  try {
    const drop = /* istanbul ignore next: nothing calls it */ (): void => undefined;
    sink = createBodySink(req, media, { ...limits, budget: createBodyBudget(Infinity) }, drop);
    if (bytes.length > 0) await sink.add(bytes);
    const result = await sink.end();
    // The parser rounded the number to a double, so this is not what the client sent.
    if (media.kind === 'json' && !findKeptBytes(req) && holdsBigint(result.parsed)) throw createRawBodyError(media);
    return result;
  } catch (cause) {
    sink?.discard();
    throw toFieldRefusal(cause, '/body');
  }
}

/** Returns the bytes to check. If a route gets a parsed form, they are serialized from it, so that the route's input is checked. */
export function recoverBodyBytes(req: ParsedRequest, media: BodyMedia, isForRoute: boolean): Buffer {
  const bytes = findKeptBytes(req);
  const isParsed = isForRoute && media.kind === 'form' && req.body && tryDecodeForm(String(bytes ?? '')) !== undefined;
  return bytes && (!isParsed || Buffer.isBuffer(req.body)) ? bytes : serializeBody(req.body, media);
}

/** Finds the bytes of a body that has been read: keepRawBody keeps them in rawBody, and express.raw() in body. */
function findKeptBytes({ headers, rawBody, body }: ParsedRequest): Buffer | undefined {
  if (Number(headers['content-length']) === 0) return Buffer.alloc(0);
  return [rawBody, body].find((bytes) => Buffer.isBuffer(bytes));
}

/** Serializes a parsed body. @throws Refusal for a form with nested values; Error if the client may have sent something else */
function serializeBody(body: unknown, media: BodyMedia): Buffer {
  const [, ...types] = PARSERS[media.kind] ?? [''];
  // For JSON, a string is ambiguous: it could be a parsed string, or JSON that was not parsed.
  const text = typeof body === 'string' ? body : JSON.stringify(body, keepOverflow);
  // Express's parsers insert this character for bytes that are not UTF-8, but a client may also have sent it.
  if (!types.includes(typeof body) || text.includes(REPLACEMENT_CHARACTER)) throw createRawBodyError(media);
  return Buffer.from(media.kind === 'form' ? stringifyForm({ ...(body as object) }, media) : text);
}

function stringifyForm(body: object, { form }: BodyMedia): string {
  const pairs = Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const isDeep =
      typeof value === 'object' && !Array.isArray(value) && form.styled.some((field) => field.name === name);
    const members = isDeep ? Object.entries({ ...value }).map(([key, text]) => [`${name}[${key}]`, text]) : undefined;
    return members ?? [value].flat().map((text) => [name, text]);
  });
  if (pairs.flat().every((text) => typeof text === 'string')) return String(new URLSearchParams(pairs as string[][]));
  throw toFieldRefusal(new UnreadableText('type', 'must not have nested values'), '/body');
}

// JSON.parse turns a number beyond the range of doubles into Infinity, and JSON.stringify would turn that into null.
function keepOverflow(_name: string, value: unknown): unknown {
  return value === Infinity || value === -Infinity ? JSON.rawJSON(`${value < 0 ? '-' : ''}1e999`) : value;
}
