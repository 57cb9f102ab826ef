// What service.ts needs of HTTP: requests read strictly, and refusals.
import type { IncomingMessage } from 'node:http';

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
export function checkHead({ headersDistinct: headers, httpVersionMajor }: IncomingMessage): void {
  assertRight(httpVersionMajor === 1, 400, 'the version of HTTP is missing');
  const isTwice = ['host', 'authorization', 'content-type'].some((name) => (headers[name]?.length ?? 0) > 1);
  assertRight(!isTwice, 400, 'a header comes twice');
  assertRight(/^([\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i.test(headers['host']?.[0] ?? ''), 400, 'Host is wrong');
}

export function parseJson({ headers }: IncomingMessage, body: Buffer, mediaType: string): unknown {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(/\s*;\s*/);
  const isUtf8 = parameters.every((parameter) => !/^charset=(?!"?utf-8"?$)/.test(parameter));
  const isPlain = headers['content-encoding'] === undefined;
  assertRight(type.trim() === mediaType && isUtf8 && isPlain, 415, `the body has to be ${mediaType}`);
  assertRight(body.length <= 1024 ** 2, 413, 'the body is too large');
  const toText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return read(() => JSON.parse(toText.decode(body)) as unknown, 'the body is not JSON');
}

const decode = (text: string): string => read(() => decodeURIComponent(text), 'the URL has a wrong percent-encoding');

export function parseTarget(target: string): { segments: string[]; query: ReadonlyMap<string, string> } {
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
