// Judges the requests and replies of routes that the kit does not serve, and changes neither.
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import { findMedia, isPublic, type BodyMedia, type Contract, type Operation } from '@contract-kit/contract';
import { createFindingCounter } from '../admin/metrics';
import { Refusal, type Fault, type RequestFault } from '../errors/refusal';
import { toReplyFaults, type UntypedReply } from '../reply/check-reply';
import { createFindingLog, type FindingReport } from '../http/findings';
import { callSafely, LOG_OPTIONS, type Log } from '../http/request-log';
import { isFramed } from '../http/request-time';
import { createRoutes, toPath, toQuery } from '../pipeline/routes';
import { BODY_LIMIT, type ServiceOptions } from '../pipeline/serve-contract';
import { createMessageChecks, proveValidators, type MessageChecks } from '../pipeline/validators';
import { createBodyBudget } from '../request/body-budget';
import { createRequestReader, findKeptBytes, restoreBytes, type ParsedRequest } from '../request/read-request';
import { isBodyReadAlready } from '../request/receive-body';
import { toFieldRefusal } from '../request/read-value';
import { ValidationError } from '../validate/validator';
import { keepSentBody, NotJudged, readSentReply, type SentBody } from './sent-reply';

/** What is watched. The contract is enough. */
export interface WatchOptions extends Pick<ServiceOptions, 'prefix' | 'readOnly' | 'undeclaredQuery' | 'formats'> {
  readonly contract: Contract;
  /** Gets five lines a second at most; by default standard output. */
  readonly log?: Log | undefined;
  /** Gets the counter `contract_findings_total`. */
  readonly registry?: Registry | undefined;
  /** Called for each finding. */
  readonly report?: FindingReport | undefined;
  /** The largest request body, and the largest reply that is judged, in bytes; by default 1 MB. */
  readonly bodyLimit?: number | undefined;
}

/** Watches a request of one operation. */
type Watch = (req: Request, res: Response, path: ReadonlyMap<string, string>) => void;

/**
 * Judges each request and each reply of the routes behind it by the contract, once the reply is sent, and changes nothing.
 *
 * @throws ContractError when the contract cannot be enforced
 * @example app.use(await watchContract({ contract, log }));
 */
export async function watchContract(options: WatchOptions): Promise<RequestHandler> {
  const { contract, prefix, bodyLimit = BODY_LIMIT, log = pino(LOG_OPTIONS) } = options;
  const count = options.registry && createFindingCounter(options.registry);
  const tell = callSafely(log, 'report', createFindingLog(log), count, options.report);
  const checksByOperation = createMessageChecks(contract, options);
  const proven = new Set<string>();
  for (const [operation, checks] of checksByOperation) await proveValidators(checks, operation, proven);
  const watches = [...checksByOperation].map(
    ([operation, checks]) => [operation, createWatch(operation, checks, { ...options, bodyLimit, log }, tell)] as const,
  );
  const findRoute = createRoutes(watches, prefix);
  return function watch(req, res, next) {
    const { route, texts } = findRoute(toPath(req.url), req.method);
    route.get(req.method)?.(req, res, texts);
    next();
  };
}

function createWatch(
  operation: Operation,
  { checkRequest, checkReply }: MessageChecks,
  { bodyLimit, log, undeclaredQuery }: WatchOptions & { readonly bodyLimit: number; readonly log: Log },
  tell: FindingReport,
): Watch {
  const limits = { limit: bodyLimit, budget: createBodyBudget(Infinity), createFile: failToStore };
  const readRequest = createRequestReader(operation, limits, { undeclaredQuery });
  const judge = callSafely(log, 'the judgement of a message', (run: () => Promise<void>) => run());

  return (req, res, path) => {
    const query = toQuery(req.url);
    const { headers } = req;
    // What a parser has read is kept before a route can change it.
    const early = isBodyReadAlready(req) ? keepBody(req, operation) : undefined;
    const sentBody = keepSentBody(res, bodyLimit);
    res.once('close', () => {
      judge(async () => {
        report('reply', res, findReplyFaults(req, res, sentBody));
        const texts = { path, query, headers };
        report('request', res, await findRequestFaults(res, texts, early ?? keepBody(req, operation)));
      });
    });
  };

  function report(message: 'request' | 'reply', { statusCode: status }: Response, faults: readonly Fault[]): void {
    // One for each rule and place, however many items of a list break it. Places do not have undeclared names.
    for (const found of Map.groupBy(faults, ({ rule, place }) => `${rule} ${place}`).values()) {
      const [{ rule, place, message: detail }] = found as [Fault];
      const [, ...others] = new Set(rule === 'undeclared' ? found.map(({ pointer }) => pointer.split('/').at(-1)) : []);
      const alsoUndeclared = others.length > 0 ? `, nor is ${others.join(', ')}` : '';
      tell({ operation: operation.id, message, status, rule, place, detail: `${detail}${alsoUndeclared}` });
    }
  }

  async function findRequestFaults(
    res: Response,
    texts: Parameters<typeof readRequest>[2],
    body: Buffer | NotJudged | undefined,
  ): Promise<readonly Fault[]> {
    const carrier = { headers: texts.headers, queryText: texts.query };
    const isAnonymous = !operation.security.flat().some(({ isPresent }) => isPresent(carrier));
    const anonymous =
      isAnonymous && !isPublic(operation) && res.statusCode < 400 ? [toFaultOf('security', ANONYMOUS)] : [];
    try {
      if (body instanceof NotJudged) throw body;
      // The reader takes the kept bytes, and touches neither the request nor the response.
      const kept = { headers: texts.headers, rawBody: body, readableEnded: true, readableDidRead: true };
      const request = await readRequest(kept as unknown as IncomingMessage, res, texts);
      const checked = checkRequest(request);
      return checked instanceof Refusal ? [...anonymous, ...checked.faults] : anonymous;
    } catch (cause) {
      return [...anonymous, ...(cause instanceof Refusal ? cause.faults : [toUnjudged(cause)])];
    }
  }

  function findReplyFaults(req: Request, res: Response, sentBody: SentBody): readonly Fault[] {
    // A reply to HEAD has no body, and that of a client that left may be cut off.
    if (req.method === 'HEAD') return [];
    if (!res.writableFinished) return [toUnjudged(new NotJudged('the client left before the end of the reply'))];
    const found: RequestFault[] = [];
    const place = (reply: UntypedReply, cause: unknown): Fault[] => toReplyFaults(operation, reply, cause);
    try {
      const reply = readSentReply(operation, res, sentBody(), bodyLimit);
      try {
        checkReply(reply, (fault) => found.push(fault));
      } catch (cause) {
        return [...place(reply, new ValidationError(found)), ...place(reply, cause)];
      }
      return place(reply, new ValidationError(found));
    } catch (cause) {
      const refusal = toFieldRefusal(cause, '/body');
      return refusal instanceof Refusal ? refusal.faults : [toUnjudged(cause)];
    }
  }
}

const ANONYMOUS = 'the request has no credentials, and was served all the same';

function toFaultOf(rule: string, message: string): Fault {
  return { pointer: '', place: '', rule, message };
}

function toUnjudged(cause: unknown): Fault {
  return toFaultOf('notJudged', (cause as Error).message);
}

function failToStore(): never {
  throw new NotJudged('the request body is too large to be judged');
}

/** The bytes of a body that a parser has read, or that its value stands for; undefined if there is none. */
function keepBody(req: Request & ParsedRequest, { body: declared }: Operation): Buffer | NotJudged | undefined {
  const media = declared && isFramed(req) ? findMedia(declared.media, req.headers['content-type'] ?? '') : undefined;
  if (!media) return undefined;
  try {
    return findKeptBytes(req) ?? toBytes(req.body, media);
  } catch {
    return new NotJudged('no parser has kept what the client sent');
  }
}

// The parsers of forms and texts lose less than a JSON number may.
function toBytes(body: unknown, media: BodyMedia): Buffer {
  if (media.kind === 'text' && typeof body === 'string') return Buffer.from(body);
  if (media.kind !== 'form' || typeof body !== 'object' || body === null) return restoreBytes(body, media);
  const pairs = Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    [value].flat().map((text) => [name, toFormText(text)]),
  );
  return Buffer.from(String(new URLSearchParams(pairs)));
}

function toFormText(value: unknown): string {
  if (typeof value !== 'string') throw new NotJudged('a form has nested values');
  return value;
}
