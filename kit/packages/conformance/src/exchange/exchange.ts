import type { Case, Situation } from '../generators/case';
import type { Finding, Oracle } from '../oracle/checks';
import { readReply, valuesOf, type WireReply } from '../wire/reply';
import { toBytes, toHead, type Header, type WireRequest } from '../wire/request';
import type { Secrets } from '../wire/secret';
import { send, type Received } from '../wire/send';
import { setTimeout as wait } from 'node:timers/promises';

export interface Server {
  readonly base: URL;
  readonly secrets: Secrets;
  /** Added to each request. */
  readonly headers?: readonly Header[];
  /** How long one reply may take, in milliseconds. */
  readonly timeout: number;
  /** How often a request is sent again after 429. A case that ends with 429 is not checked (RFC 6585 section 4). */
  readonly retries?: number;
  /** Waits until the next request may be sent. */
  readonly pace?: () => Promise<unknown>;
  /** Called with the milliseconds that a 429 asks for, before waiting. */
  readonly onWait?: (ms: number) => void;
  /** The same server in other situations. */
  readonly situations?: Partial<Readonly<Record<Situation, URL>>>;
}

export function withHeaders({ headers = [] }: Pick<Server, 'headers'>, request: WireRequest): WireRequest {
  return headers.length === 0 ? request : { ...request, headers: [...request.headers, ...headers] };
}

export interface Exchange {
  readonly reply: WireReply;
}

/**
 * Sends a case, and returns all bytes that come back on the connection.
 *
 * @example console.log((await sendCase(target, testCase)).toString('latin1'))
 */
export async function sendCase(server: Server, sent: Sent): Promise<Buffer> {
  return (await sendToServer(server, sent)).bytes;
}

type Sent = Pick<Case, 'request' | 'situation'>;

function sendToServer(server: Server, { request: caseRequest, situation }: Sent): Promise<Received> {
  const request = withHeaders(server, caseRequest);
  const base = situation === undefined ? server.base : (server.situations?.[situation] ?? server.base);
  const bytes = toBytes(request, base, server.secrets);
  return send(base, bytes, { timeout: server.timeout, readOn: request.readOn, isCut: request.isHalfClosed ?? false });
}

/** A missing or malformed reply is a finding. After 429, waits for Retry-After and sends the case again. */
export async function exchange(server: Server, testCase: Case): Promise<Exchange | Finding> {
  const { retries = 0, pace, onWait } = server;
  for (let retry = 0; ; retry++) {
    await pace?.();
    const outcome = await exchangeOnce(server, testCase);
    const ms = 'reply' in outcome && outcome.reply.status === 429 ? retryAfterMs(outcome.reply) : Infinity;
    if (retry === retries || ms > MAX_WAIT_MS) return outcome;
    onWait?.(ms);
    await wait(ms);
  }
}

/** `rate` is in requests per second. */
export function createPace(rate: number): () => Promise<unknown> {
  let next = 0;
  return () => {
    next = Math.max(next + 1_000 / rate, performance.now());
    return wait(Math.max(0, next - performance.now()));
  };
}

// A server that asks for a longer wait limits something other than the rate.
const MAX_WAIT_MS = 5 * 60 * 1_000;

async function exchangeOnce(server: Server, testCase: Case): Promise<Exchange | Finding> {
  let received: Received;
  try {
    received = await sendToServer(server, testCase);
  } catch (error) {
    return { check: 'no-response', text: (error as Error).message };
  }
  const { bytes, isClosedEarly } = received;
  if (bytes.length === 0)
    return { check: 'connection-closed', text: 'the server closed the connection without a response' };
  return readExchange(server, testCase, bytes, isClosedEarly);
}

function readExchange({ base }: Server, testCase: Case, bytes: Buffer, isClosedEarly: boolean): Exchange | Finding {
  const { request } = testCase;
  // If `changeHead` replaced the method HEAD, the reply may have a body, so it is parsed as one to GET.
  const isMethodChanged = request.method === 'HEAD' && !toHead(request, base).startsWith('HEAD ');
  try {
    return { reply: readReply(bytes, isMethodChanged ? 'GET' : request.method, isClosedEarly) };
  } catch (error) {
    return { check: 'message-framing', text: (error as Error).message };
  }
}

export const UNKNOWN_PATH_REQUEST = { method: 'GET', target: '/no/such/path', headers: [] };

/** Whether the server still replies, with any status, to an unknown path without credentials. */
export async function isAlive({ base, timeout }: Server): Promise<boolean> {
  try {
    const { bytes, isClosedEarly } = await send(base, toBytes(UNKNOWN_PATH_REQUEST, base, {}), { timeout });
    readReply(bytes, 'GET', isClosedEarly);
    return true;
  } catch {
    return false;
  }
}

/** A server that cases are sent to. */
export interface Target extends Server {
  /**
   * Observes the store or the handlers before a case is sent; the function that it returns checks them after the
   * replies. With it, one case is in flight at a time.
   */
  readonly watch?:
    (() => (oracle: Oracle, testCase: Case, replies: readonly WireReply[]) => readonly Finding[]) | undefined;
  /** Whether the secrets have credentials of another caller, by `otherNameOf` each scheme. */
  readonly hasOtherCaller?: boolean;
  /** Operations without a handler: valid requests to them must have 501 or 503; everything else stays the same. */
  readonly unbuilt?: ReadonlySet<string>;
}

/** RFC 9110 section 10.2.3: seconds or a date. Waits one second without either. */
function retryAfterMs(reply: WireReply): number {
  const [text = ''] = valuesOf(reply, 'retry-after');
  if (/^\d{1,6}$/.test(text)) return 1_000 * Number(text);
  const ms = Date.parse(text) - Date.now();
  return ms > 0 ? ms : 1_000;
}

/** Whether the replies cannot be checked, because the server still limits the rate. */
export function isLimited({ retries = 0 }: Pick<Server, 'retries'>, replies: readonly WireReply[]): boolean {
  return retries > 0 && replies.some(({ status }) => status === 429);
}
