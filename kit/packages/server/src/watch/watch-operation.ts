// Checks the requests and replies of an operation that the application's route answers, without changing them.
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { findMedia, isPublic, type Operation } from '@contract-kit/contract';
import { Refusal, type Fault, type RequestFault } from '../errors/refusal';
import { toReplyFaults, type ReplyCheck, type UntypedReply } from '../reply/check-reply';
import type { FindingReport } from '../http/findings';
import { callSafely, type Log } from '../http/request-log';
import { isFramed } from '../http/request-time';
import { createBodyBudget } from '../request/body-budget';
import type { RequestCheck } from '../request/check-request';
import type { ParameterTexts } from '../request/parameters';
import { createRequestReader, createRawBodyError, PARSERS, recoverBodyBytes } from '../request/read-request';
import { isBodyReadAlready } from '../request/receive-body';
import { toFieldRefusal } from '../request/read-value';
import { ValidationError } from '../validate/validator';
import { keepSentBody, NotJudged, readSentReply, type SentBody } from './sent-reply';

interface WatchOptions {
  readonly checkRequest: RequestCheck;
  readonly checkReply: ReplyCheck;
  readonly undeclaredQuery?: 'refuse' | 'ignore' | undefined;
  /** The maximum size of a request body, and of a reply that is checked, in bytes. */
  readonly bodyLimit: number;
  readonly log: Log;
  /** The response methods that have already been reported as wrapped. */
  readonly reportedMethods: Set<string>;
  readonly reportFinding: FindingReport;
}

/**
 * Checks the reply once it has been sent and, if given `texts`, also the request. If given `path` or `method`, reports instead that
 * a route served a spelling of the path, or a method, that the contract does not have. `exact` is the body of a checked request.
 */
export type Watch = (req: Request, res: Response, texts?: ParameterTexts | 'path' | 'method', exact?: unknown) => void;

export function createWatch(
  operation: Operation,
  { checkRequest, checkReply, undeclaredQuery, bodyLimit, log, reportedMethods, reportFinding }: WatchOptions,
): Watch {
  const limits = { limit: bodyLimit, budget: createBodyBudget(Infinity), createFile: failToStore };
  const readRequest = createRequestReader(operation, limits, { undeclaredQuery });
  const runSafely = callSafely(log, 'the judgement of a message', (run: () => Promise<void>) => run());

  return (req, res, texts, exact) => {
    // Some middleware answers and calls next() anyway.
    if (res.headersSent) return;
    if (typeof texts === 'string') {
      res.once('finish', () => {
        if (res.statusCode < 400)
          report('request', res, [createFault(texts, `the contract has ${operation.path}, but not this ${texts}`)]);
      });
      return;
    }
    const { 'content-type': type = '', 'content-length': length } = req.headers;
    const media = operation.body && texts && isFramed(req) ? findMedia(operation.body.media, type) : undefined;
    const keepBody = (): Buffer | undefined => media && recoverBodyBytes(req, media, true);
    // Keep a parsed body before the route can change it. If only the route parses a body, the mode `requests` would fail.
    const earlyBody = isBodyReadAlready(req) ? Promise.try(keepBody) : undefined;
    earlyBody?.catch(() => undefined);
    const isParsedByRoute = media && !earlyBody && PARSERS[media.kind] && length !== '0';
    const unjudgedFaults = isParsedByRoute ? [toUnjudgedFault(createRawBodyError(media))] : [];
    const wrappedMethodFaults = WRAPPABLE_METHODS.filter(
      (name) => Object.hasOwn(res, name) && !reportedMethods.has(name),
    ).map(toWrappedMethodFault);
    const sentBody = keepSentBody(res, bodyLimit);
    const roundingFaults = findRoundingFaults(exact, req.body);
    res.once('close', () => {
      runSafely(async () => {
        report('reply', res, [...wrappedMethodFaults, ...findReplyFaults(req, res, sentBody)]);
        const requestFaults = texts
          ? await findRequestFaults(res, texts, earlyBody ?? Promise.try(keepBody))
          : roundingFaults;
        report('request', res, [...unjudgedFaults, ...requestFaults]);
      });
    });
  };

  function toWrappedMethodFault(name: string): Fault {
    reportedMethods.add(name);
    return { ...createFault('wrapped', `middleware in front has wrapped res.${name}`), place: `res.${name}` };
  }

  function report(message: 'request' | 'reply', { statusCode: status }: Response, faults: readonly Fault[]): void {
    // Report each rule and place once, even if many list items break the rule. A place does not include undeclared names.
    for (const group of Map.groupBy(faults, ({ rule, place }) => `${rule} ${place}`).values()) {
      const [{ rule, place, message: detail }] = group as [Fault];
      const names = rule === 'undeclared' ? group.map(({ pointer }) => pointer.split('/').at(-1)) : [];
      const [, ...otherNames] = new Set(names);
      const alsoUndeclared = otherNames.length > 0 ? `, nor is ${otherNames.join(', ')}` : '';
      reportFinding({ operation: operation.id, message, status, rule, place, detail: `${detail}${alsoUndeclared}` });
    }
  }

  async function findRequestFaults(
    res: Response,
    texts: ParameterTexts,
    body: Promise<Buffer | undefined>,
  ): Promise<readonly Fault[]> {
    const carrier = { headers: texts.headers, queryText: texts.query };
    const isAnonymous = !operation.security.flat().some(({ isPresent }) => isPresent(carrier));
    const credentialsFaults =
      isAnonymous && !isPublic(operation) && res.statusCode !== 401 ? [createFault('security', NO_CREDENTIALS)] : [];
    try {
      // With the kept bytes, the reader leaves the actual request and response alone.
      const keptRequest = { headers: texts.headers, rawBody: await body, readableEnded: true, readableDidRead: true };
      const request = await readRequest(keptRequest as unknown as IncomingMessage, res, texts);
      const roundingFaults = findRoundingFaults(request.value['body'], res.req.body);
      const result = checkRequest(request);
      return [...credentialsFaults, ...roundingFaults, ...(result instanceof Refusal ? result.faults : [])];
    } catch (cause) {
      return [...credentialsFaults, ...(cause instanceof Refusal ? cause.faults : [toUnjudgedFault(cause)])];
    }
  }

  function findReplyFaults(req: Request, res: Response, sentBody: SentBody): readonly Fault[] {
    if (req.method === 'HEAD') return res.statusCode === 405 ? [createFault('method', HEAD_REFUSED_MESSAGE)] : [];
    // Express itself sends a 304 if the request has the reply's ETag.
    if (res.statusCode === 304 && !operation.replies.has(304)) return [];
    if (!res.writableFinished) return [toUnjudgedFault(new NotJudged('the client left before the end of the reply'))];
    const undeclaredFaults: RequestFault[] = [];
    const toFaults = (reply: UntypedReply, cause: unknown): Fault[] => toReplyFaults(operation, reply, cause);
    try {
      const reply = readSentReply(operation, res, sentBody(), bodyLimit);
      try {
        checkReply(reply, (fault) => undeclaredFaults.push(fault));
      } catch (cause) {
        return [...toFaults(reply, new ValidationError(undeclaredFaults)), ...toFaults(reply, cause)];
      }
      return toFaults(reply, new ValidationError(undeclaredFaults));
    } catch (cause) {
      const refusal = toFieldRefusal(cause, '/body');
      return refusal instanceof Refusal ? refusal.faults : [toUnjudgedFault(cause)];
    }
  }
}

// Express's methods that middleware may wrap. The kit replies with Node's methods, so wrappers do not affect its replies.
const WRAPPABLE_METHODS = ['send', 'json'];
const NO_CREDENTIALS = 'the request has no credentials, and was not answered with 401';
const ROUNDED_MESSAGE = 'a parser in front has rounded an int64';
const HEAD_REFUSED_MESSAGE = 'HEAD was refused, which an operation with GET has, too';

function createFault(rule: string, message: string): Fault {
  return { pointer: '', place: '', rule, message };
}

// Finds an int64 that was rounded. Uses a loop, since a value may be nested too deeply for the stack.
function findRoundingFaults(exact: unknown, parsed: unknown): readonly Fault[] {
  const pairs = [[exact, parsed]];
  for (const [sent, received] of pairs) {
    if (typeof sent === 'bigint' && received === Number(sent) && BigInt(received) !== sent)
      return [createFault('rounded', ROUNDED_MESSAGE)];
    if (typeof sent === 'object' && sent && typeof received === 'object' && received)
      for (const [key, value] of Object.entries(sent)) pairs.push([value, Reflect.get(received, key)]);
  }
  return [];
}

function toUnjudgedFault(cause: unknown): Fault {
  return createFault('notJudged', (cause as Error).message);
}

function failToStore(): never {
  throw new NotJudged('the request body is too large to be judged');
}
