// What the services need of HTTP: requests read strictly, routes, refusals, and a server.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown: the request is answered so. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.reply = { status, headers, body: status === 304 ? undefined : { code: String(status), message } };
  }
}

export function assertRight(isRight: boolean, status: number, message: string): asserts isRight {
  if (!isRight) throw new Refusal(status, message);
}

function read<T>(parse: () => T, message: string): T {
  try {
    return parse();
  } catch {
    throw new Refusal(400, message);
  }
}

/** Refuses what node:http lets through, and RFC 9110 and 9112 do not. */
function checkHead({ headersDistinct: headers, httpVersionMajor }: IncomingMessage): void {
  assertRight(httpVersionMajor === 1, 400, 'the version of HTTP is missing');
  const isTwice = ['host', 'authorization', 'content-type'].some((name) => (headers[name]?.length ?? 0) > 1);
  assertRight(!isTwice, 400, 'a header comes twice');
  assertRight(/^([\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i.test(headers['host']?.[0] ?? ''), 400, 'Host is wrong');
}

function parseJson({ headers }: IncomingMessage, body: Buffer, mediaType: string): unknown {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(/\s*;\s*/);
  const isUtf8 = parameters.every((parameter) => !/^charset=(?!"?utf-8"?$)/.test(parameter));
  const isPlain = headers['content-encoding'] === undefined;
  assertRight(type.trim() === mediaType && isUtf8 && isPlain, 415, `the body has to be ${mediaType}`);
  assertRight(body.length <= 1024 ** 2, 413, 'the body is too large');
  const toText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return read(() => JSON.parse(toText.decode(body)) as unknown, 'the body is not JSON');
}

const decode = (text: string): string => read(() => decodeURIComponent(text), 'the URL has a wrong percent-encoding');

function parseTarget(target: string): { segments: string[]; query: ReadonlyMap<string, string> } {
  const [path = '', search = ''] = target.replace(/^https?:\/\/[^/?#]+/i, '').split(/\?(.*)/s);
  assertRight(path.startsWith('/'), 400, 'the URL has no path');
  const pairs = search.split('&').filter((pair) => pair !== '');
  const entries = pairs.map((pair) => pair.replaceAll('+', ' ').split(/=(.*)/s).map(decode));
  const query = new Map(entries.map(([name = '', value = '']) => [name, value]));
  assertRight(query.size === pairs.length, 400, 'a parameter comes twice');
  return { segments: path.split('/').slice(1).map(decode), query };
}

export function parseInteger(text: string, minimum: number, maximum = 2 ** 31 - 1): number {
  const value = /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : NaN;
  assertRight(value >= minimum && value <= maximum, 400, `an integer from ${String(minimum)} is wanted`);
  return value;
}

export interface Asked {
  readonly method: string;
  /** Whether a HEAD is answered as a GET. */
  readonly isHead: boolean;
  readonly caller: string;
  readonly ids: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  readonly headers: IncomingMessage['headers'];
  /** Reads JSON, or a merge patch if the method is PATCH. */
  readonly parse: () => unknown;
}

/** By method and path, such as `GET plays/` for an id below `/v1/plays`. */
export type Handlers = Readonly<Record<string, (asked: Asked) => Reply | Promise<Reply>>>;

interface ServiceOptions {
  readonly realm: string;
  readonly isKnown: (token: string, route: string) => boolean;
  readonly type?: string;
  readonly toRefusal?: (reply: Reply) => Reply;
  readonly toHeaders?: (headers: Record<string, string>, request: IncomingMessage) => Record<string, string>;
}

export type Service = AsyncDisposable & { readonly url: string };

export async function startServer(handlers: Handlers, options: ServiceOptions): Promise<Service> {
  const { type = 'application/json', toRefusal = (reply) => reply, toHeaders = (headers) => headers } = options;
  const failure = { status: 500, body: { code: '500', message: 'internal error' } };
  const server = createServer((request, response) => {
    void answer(request, handlers, options)
      .catch((error: unknown) => toRefusal(error instanceof Refusal ? error.reply : failure))
      .then(({ status, body, headers }) => {
        const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
        const length = [204, 304].includes(status) ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
        const all = { ...(text !== '' && { 'Content-Type': type }), ...length, ...headers };
        response.writeHead(status, toHeaders(all, request)).end(request.method === 'HEAD' ? '' : text);
      });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function answer(request: IncomingMessage, handlers: Handlers, options: ServiceOptions): Promise<Reply> {
  const body = await buffer(request);
  checkHead(request);
  const { headers } = request;
  const { segments, query } = parseTarget(String(request.url));
  const [prefix, ...path] = segments;
  const isId = (index: number): boolean => index % 2 === 1;
  const route = path.map((segment, index) => (isId(index) ? '' : segment)).join('/');
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => `${each} ${route}` in handlers);
  assertRight(prefix === 'v1' && methods.length > 0, 404, 'there is no such path');
  const method = request.method === 'HEAD' ? 'GET' : String(request.method);
  const handler = handlers[`${method} ${route}`];
  const Allow = methods.join(', ').replace('GET', 'GET, HEAD');
  if (!handler) throw new Refusal(405, 'the path has no such method', { Allow });
  const caller = /^bearer +([^ ]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const error = /^bearer /i.test(headers.authorization ?? '') ? ', error="invalid_token"' : '';
  const challenge = { 'WWW-Authenticate': `Bearer realm="${options.realm}"${error}` };
  if (!options.isKnown(caller, `${method} ${route}`)) throw new Refusal(401, 'a token is wanted', challenge);
  const ids = path.filter((_segment, index) => isId(index));
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return handler({
    method,
    isHead: request.method === 'HEAD',
    caller,
    ids,
    query,
    headers,
    parse: () => parseJson(request, body, type),
  });
}
