// Judges the requests and replies of an operation that a route of the application answers, and changes neither.
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { findMedia, isPublic, type BodyMedia, type Operation } from '@contract-kit/contract';
import { Refusal, type Fault, type RequestFault } from '../errors/refusal';
import { toReplyFaults, type ReplyCheck, type UntypedReply } from '../reply/check-reply';
import type { FindingReport } from '../http/findings';
import { callSafely, type Log } from '../http/request-log';
import { isFramed } from '../http/request-time';
import { createBodyBudget } from '../request/body-budget';
import type { RequestCheck } from '../request/check-request';
import type { ParameterTexts } from '../request/parameters';
import { createRequestReader, findKeptBytes, restoreBytes, type ParsedRequest } from '../request/read-request';
import { isBodyReadAlready } from '../request/receive-body';
import { toFieldRefusal } from '../request/read-value';
import { ValidationError } from '../validate/validator';
import { keepSentBody, NotJudged, readSentReply, type SentBody } from './sent-reply';

interface WatchOptions {
  readonly checkRequest: RequestCheck;
  readonly checkReply: ReplyCheck;
  readonly undeclaredQuery?: 'refuse' | 'ignore' | undefined;
  /** The largest request body, and the largest reply that is judged, in bytes. */
  readonly bodyLimit: number;
  readonly log: Log;
  /** The methods of responses that middleware in front wraps, and that were told of. */
  readonly told: Set<string>;
  readonly tell: FindingReport;
}

/**
 * Judges the reply to a request once it is sent; and the request, where it is given `texts`. Or tells that a route serves what
 * the contract does not have: another spelling of the path, or another method.
 */
export type Watch = (req: Request, res: Response, texts?: ParameterTexts | 'path' | 'method') => void;

export function createWatch(
  operation: Operation,
  { checkRequest, checkReply, undeclaredQuery, bodyLimit, log, told, tell }: WatchOptions,
): Watch {
  const limits = { limit: bodyLimit, budget: createBodyBudget(Infinity), createFile: failToStore };
  const readRequest = createRequestReader(operation, limits, { undeclaredQuery });
  const judge = callSafely(log, 'the judgement of a message', (run: () => Promise<void>) => run());

  return (req, res, texts) => {
    if (typeof texts === 'string') {
      res.once('finish', () => {
        if (res.statusCode < 400)
          report('request', res, [toFaultOf(texts, `the contract has ${operation.path}, but not this ${texts}`)]);
      });
      return;
    }
    // What a parser has read is kept before a route can change it.
    const early = texts && isBodyReadAlready(req) ? keepBody(req, operation) : undefined;
    const wrapped = WRAPPABLE.filter((name) => Object.hasOwn(res, name) && !told.has(name)).map(toWrapped);
    const sentBody = keepSentBody(res, bodyLimit);
    res.once('close', () => {
      judge(async () => {
        report('reply', res, [...wrapped, ...findReplyFaults(req, res, sentBody)]);
        if (texts) report('request', res, await findRequestFaults(res, texts, early ?? keepBody(req, operation)));
      });
    });
  };

  function toWrapped(name: string): Fault {
    told.add(name);
    return { ...toFaultOf('wrapped', `middleware in front has wrapped res.${name}`), place: `res.${name}` };
  }

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
    texts: ParameterTexts,
    body: Buffer | NotJudged | undefined,
  ): Promise<readonly Fault[]> {
    const carrier = { headers: texts.headers, queryText: texts.query };
    const isAnonymous = !operation.security.flat().some(({ isPresent }) => isPresent(carrier));
    const anonymous =
      isAnonymous && !isPublic(operation) && res.statusCode !== 401 ? [toFaultOf('security', ANONYMOUS)] : [];
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
    if (req.method === 'HEAD') return res.statusCode === 405 ? [toFaultOf('method', NO_HEAD)] : [];
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

/** The methods of Express that replies of the kit do not pass through. Those of Node, they do. */
const WRAPPABLE = ['send', 'json'];
const ANONYMOUS = 'the request has no credentials, and was not answered with 401';
const NO_HEAD = 'HEAD was refused, which an operation with GET has, too';

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
