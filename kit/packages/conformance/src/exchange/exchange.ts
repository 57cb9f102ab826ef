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
  /** Sent with every request. */
  readonly headers?: readonly Header[];
  /** Timeout for a reply, in milliseconds. */
  readonly timeout: number;
  /** Number of retries after a 429 (RFC 6585 section 4). If the last reply is also a 429, the case is not checked. */
  readonly retries?: number;
  /** Waits until the next request may be sent. */
  readonly pace?: () => Promise<unknown>;
  /** Called before waiting for the time that a 429 asks for. */
  readonly onWait?: (ms: number) => void;
  /** Base URLs at which the same server runs in situations such as `broken`. */
  readonly situations?: Partial<Readonly<Record<Situation, URL>>>;
}

export function withHeaders({ headers = [] }: Pick<Server, 'headers'>, request: WireRequest): WireRequest {
  return headers.length === 0 ? request : { ...request, headers: [...request.headers, ...headers] };
}

export interface Exchange {
  readonly reply: WireReply;
}

/**
 * Sends a case, and returns every byte of the reply.
 *
 * @example console.log((await sendCase(target, testCase)).toString('latin1'))
 */
export async function sendCase(server: Server, sentCase: SentCase): Promise<Buffer> {
  return (await sendToServer(server, sentCase)).bytes;
}

type SentCase = Pick<Case, 'request' | 'situation'>;

function sendToServer(server: Server, { request: caseRequest, situation }: SentCase): Promise<Received> {
  const request = withHeaders(server, caseRequest);
  const base = situation === undefined ? server.base : (server.situations?.[situation] ?? server.base);
  const bytes = toBytes(request, base, server.secrets);
  return send(base, bytes, { timeout: server.timeout, readOn: request.readOn, isCut: request.isHalfClosed ?? false });
}

/** Returns a finding if the reply is missing or malformed. Retries after 429, once the time in Retry-After is over. */
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

/** @param rate in requests per second */
export function createPace(rate: number): () => Promise<unknown> {
  let next = 0;
  return () => {
    next = Math.max(next + 1_000 / rate, performance.now());
    return wait(Math.max(0, next - performance.now()));
  };
}

// The longest Retry-After to wait for. A longer one probably means a quota and not a rate limit.
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
  // If `changeHead` replaced the method HEAD, the reply can have a body, so it is parsed like a reply to GET.
  const isMethodChanged = request.method === 'HEAD' && !toHead(request, base).startsWith('HEAD ');
  try {
    return { reply: readReply(bytes, isMethodChanged ? 'GET' : request.method, isClosedEarly) };
  } catch (error) {
    return { check: 'message-framing', text: (error as Error).message };
  }
}

export const UNKNOWN_PATH_REQUEST = { method: 'GET', target: '/no/such/path', headers: [] };

/** Whether one of three requests, to an unknown path and without credentials, gets any answer at all. */
export async function isAlive(server: Server, probes = 3): Promise<boolean> {
  const { base, timeout } = server;
  const sent = send(base, toBytes(UNKNOWN_PATH_REQUEST, base, {}), { timeout }).catch(() => undefined);
  const size = (await sent)?.bytes.length ?? 0;
  return size > 0 || (probes > 1 && isAlive(server, probes - 1));
}

/** The server that cases are sent to. */
export interface Target extends Server {
  /**
   * Called before each case, to observe the store or the handlers. Returns a function that checks them after the
   * replies. If `watch` is set, only one case is in flight at a time.
   */
  readonly watch?:
    (() => (oracle: Oracle, testCase: Case, replies: readonly WireReply[]) => readonly Finding[]) | undefined;
  /** Whether `secrets` contains another caller's credentials, whose keys come from `otherNameOf`. */
  readonly hasOtherCaller?: boolean;
  /** Operations without a handler. Valid requests to them must get 501 or 503. */
  readonly unbuilt?: ReadonlySet<string>;
}

/** Retry-After contains seconds or a date (RFC 9110 section 10.2.3). The default is one second. */
function retryAfterMs(reply: WireReply): number {
  const [text = ''] = valuesOf(reply, 'retry-after');
  if (/^\d{1,6}$/.test(text)) return 1_000 * Number(text);
  const ms = Date.parse(text) - Date.now();
  return ms > 0 ? ms : 1_000;
}

/** Whether the replies cannot be checked because the server answered 429 to every retry. */
export function isLimited({ retries = 0 }: Pick<Server, 'retries'>, replies: readonly WireReply[]): boolean {
  return retries > 0 && replies.some(({ status }) => status === 429);
}
