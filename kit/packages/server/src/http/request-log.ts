import { AsyncResource } from 'node:async_hooks';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { toTerminalJson } from '@contract-kit/contract';
import type { Outcome, Report } from './report';
import { toProcessShare } from './share';
import { traceOptions } from './trace';

export type Log = Logger;

let timeOfField = NaN;
let timeField = '';

// Like pino.stdTimeFunctions.isoTime, but formats the time only once per millisecond.
function toTimeField(): string {
  const now = Date.now();
  if (now !== timeOfField) timeField = `,"time":"${new Date(now).toISOString()}"`;
  timeOfField = now;
  return timeField;
}

/** Options of pino for JSON lines that cannot control a terminal, without the process id and host name (`base`). */
export const LOG_OPTIONS: LoggerOptions = {
  base: null,
  ...traceOptions,
  timestamp: toTimeField,
  hooks: { streamWrite: toTerminalJson },
  serializers: { cause: toStackText, err: toStackText },
};

export interface Reports {
  /** The default logs JSON lines to standard output. */
  readonly log?: Log | undefined;
  /** Called once for every request, after the reply. The default writes to the log. */
  readonly report?: Report | undefined;
  /** Called for each connection that is closed because it has too many requests in flight. */
  readonly reportOverflow?: (() => void) | undefined;
}

/** Fills in the defaults, and wraps the functions so that they never throw. */
export function toReports({ log = pino(LOG_OPTIONS), report = createRequestLog(log), reportOverflow }: Reports) {
  return {
    report: callSafely(log, 'report', report),
    reportOverflow: callSafely(log, 'reportOverflow', reportOverflow),
  };
}

/**
 * Combines observers into a function that never throws, for places where errors are not caught. The first error of each
 * observer, thrown or rejected, is logged. Errors do not change a reply or end the process.
 */
export function callSafely<Args extends readonly unknown[]>(
  log: Log,
  name: string,
  ...observers: readonly (((...args: Args) => unknown) | undefined)[]
): (...args: Args) => void {
  const failedObservers = new Set<unknown>();
  const fail = (observe: (typeof observers)[number], err: unknown): void => {
    try {
      if (!failedObservers.has(observe)) log.error({ err }, `${name} failed; its further errors are not logged`);
      failedObservers.add(observe);
    } catch {
      // The log itself fails.
    }
  };
  return (...args) => {
    for (const observe of observers) {
      try {
        const answer = observe?.(...args);
        // Most observers return nothing that could reject.
        if (answer !== undefined) Promise.resolve(answer).catch(fail.bind(undefined, observe));
      } catch (err) {
        fail(observe, err);
      }
    }
  };
}

export function logOutcome(log: Log, outcome: Outcome): void {
  const { id, client, caller, method, path, requestedPath, operation, status, refusal, traceId } = outcome;
  // pino omits undefined fields but checks each one, so rare fields are spread. Using `...rest` above would cost more.
  const line = {
    ...{ id, client, caller, method, path, requestedPath, operation, status },
    // The rule and the place never contain anything from the client.
    ...(refusal && { refusal: refusal.kind, rule: refusal.rule, place: refusal.faults[0]?.place }),
    ms: outcome.milliseconds === undefined ? undefined : Math.round(outcome.milliseconds * 1000) / 1000,
    ...(outcome.isAborted === true && { aborted: true }),
    // OpenTelemetry's mixin adds its own trace id.
    ...(traceId !== undefined && !traceOptions.mixin && { trace_id: traceId }),
  };
  // Middleware can fail even if the operation replied, so the status alone is not enough.
  if (status >= 500 || refusal?.kind === 'INTERNAL_ERROR') log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

const WINDOW_MS = 1_000;
const MAX_LOGGED = 100;

/**
 * Creates a report function that logs each request, and failures with their cause. It logs at most 100 refusals per second and
 * status, so that a client with many invalid requests cannot fill the disk.
 *
 * @example const report = createRequestLog(pino());
 */
export function createRequestLog(log: Log): Report {
  const runRateLimited = limitPerSecond<number>(toProcessShare(MAX_LOGGED), (status, requests) => {
    log.warn({ status, requests }, 'requests without a log line');
  });
  return function report(outcome: Outcome) {
    if (outcome.status < 400) logOutcome(log, outcome);
    else
      runRateLimited(outcome.status, () => {
        logOutcome(log, outcome);
      });
  };
}

/** Creates a function that writes at most `limit` lines per kind and second. `writeRest` takes the number of omitted lines. */
export function limitPerSecond<Kind>(
  limit: number,
  writeRest: (kind: Kind, count: number) => void,
): (kind: Kind, write: () => void) => void {
  const counts = new Map<Kind, number>();
  let timer: NodeJS.Timeout | undefined;

  // Without AsyncResource, these lines would have the ids of the request that started the window.
  const endWindow = AsyncResource.bind(() => {
    timer = undefined;
    const exceededCounts = [...counts].filter(([, count]) => count > limit);
    counts.clear();
    try {
      for (const [kind, count] of exceededCounts) writeRest(kind, count - limit);
    } catch {
      // The log itself fails.
    }
  });

  return (kind, write) => {
    timer ??= setTimeout(endWindow, WINDOW_MS).unref();
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= limit) write();
  };
}

// Only the stacks of an error and its causes are logged, because other properties can contain the client's data.
function toStackText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const causeText = toStackText(cause.cause);
  return causeText === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${causeText}`;
}
