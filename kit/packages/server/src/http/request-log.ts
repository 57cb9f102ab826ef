import { AsyncResource } from 'node:async_hooks';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { toTerminalJson } from '@contract-kit/contract';
import type { Outcome, Report } from './report';
import { toShare } from './share';
import { traceOptions } from './trace';

export type Log = Logger;

let timeOfField = NaN;
let timeField = '';

// Like pino.stdTimeFunctions.isoTime, but formatted only once per millisecond.
function toTimeField(): string {
  const now = Date.now();
  if (now !== timeOfField) timeField = `,"time":"${new Date(now).toISOString()}"`;
  timeOfField = now;
  return timeField;
}

/** Logs JSON lines that cannot control a terminal, without the process id and the host name (`base`). */
export const LOG_OPTIONS: LoggerOptions = {
  base: null,
  ...traceOptions,
  timestamp: toTimeField,
  hooks: { streamWrite: toTerminalJson },
  serializers: { cause: toStackText, err: toStackText },
};

export interface Reports {
  /** By default, writes JSON lines to standard output. */
  readonly log?: Log | undefined;
  /** Called once for every request, after the reply. By default, it writes to the log. */
  readonly report?: Report | undefined;
  /** Called for each connection that is closed because too many of its requests are in flight. */
  readonly reportOverflow?: (() => void) | undefined;
}

/** Fills in the defaults. The functions never throw. */
export function toReports({ log = pino(LOG_OPTIONS), report = createRequestLog(log), reportOverflow }: Reports) {
  return {
    report: callSafely(log, 'report', report),
    reportOverflow: callSafely(log, 'reportOverflow', reportOverflow),
  };
}

/**
 * Combines functions that only observe, and are called where nobody catches errors. The first error of each, thrown or rejected,
 * is logged. No error changes a reply or ends the process.
 */
export function callSafely<Args extends readonly unknown[]>(
  log: Log,
  name: string,
  ...observers: readonly (((...args: Args) => unknown) | undefined)[]
): (...args: Args) => void {
  const failed = new Set<unknown>();
  const fail = (observe: (typeof observers)[number], err: unknown): void => {
    try {
      if (!failed.has(observe)) log.error({ err }, `${name} failed; its further errors are not logged`);
      failed.add(observe);
    } catch {
      // The log itself fails.
    }
  };
  return (...args) => {
    for (const observe of observers) {
      try {
        const answer = observe?.(...args);
        // Most observers do not return anything that could reject.
        if (answer !== undefined) Promise.resolve(answer).catch(fail.bind(undefined, observe));
      } catch (err) {
        fail(observe, err);
      }
    }
  };
}

/** Logs one line per request. */
export function logOutcome(log: Log, outcome: Outcome): void {
  const { id, client, caller, method, path, requestedPath, operation, status, refusal, traceId } = outcome;
  // pino omits undefined fields, but looks at each of them, so rare ones are spread. `...rest` above would cost more.
  const line = {
    ...{ id, client, caller, method, path, requestedPath, operation, status },
    // The rule and the place come from the contract or the kit, never from the client.
    ...(refusal && { refusal: refusal.kind, rule: refusal.rule, place: refusal.faults[0]?.place }),
    ms: outcome.milliseconds === undefined ? undefined : Math.round(outcome.milliseconds * 1000) / 1000,
    ...(outcome.isAborted === true && { aborted: true }),
    // OpenTelemetry adds its own ids.
    ...(traceId !== undefined && !traceOptions.mixin && { trace_id: traceId }),
  };
  // Middleware may fail even though the operation replied, so the status alone is not enough.
  if (status >= 500 || refusal?.kind === 'INTERNAL_ERROR') log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

const WINDOW_MS = 1_000;
const MAX_LOGGED = 100;

/**
 * Creates a report that logs each request, and a failure with its cause. It logs at most 100 refusals per second and status,
 * so that a client with many invalid requests cannot fill the disk.
 *
 * @example const report = createRequestLog(pino());
 */
export function createRequestLog(log: Log): Report {
  const limited = limitPerSecond<number>(toShare(MAX_LOGGED), (status, requests) => {
    log.warn({ status, requests }, 'requests without a log line');
  });
  return function report(outcome: Outcome) {
    if (outcome.status < 400) logOutcome(log, outcome);
    else
      limited(outcome.status, () => {
        logOutcome(log, outcome);
      });
  };
}

/** Creates a function that writes at most `most` lines per kind and second. `writeRest` gets the number of omitted lines. */
export function limitPerSecond<Kind>(
  most: number,
  writeRest: (kind: Kind, count: number) => void,
): (kind: Kind, write: () => void) => void {
  const counts = new Map<Kind, number>();
  let timer: NodeJS.Timeout | undefined;

  // AsyncResource keeps the ids of the request that began the window out of these lines.
  const endWindow = AsyncResource.bind(() => {
    timer = undefined;
    const rest = [...counts].filter(([, count]) => count > most);
    counts.clear();
    try {
      for (const [kind, count] of rest) writeRest(kind, count - most);
    } catch {
      // The log itself fails.
    }
  });

  return (kind, write) => {
    timer ??= setTimeout(endWindow, WINDOW_MS).unref();
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= most) write();
  };
}

// Logs only the stacks of an error and its causes, since other properties may contain the client's data.
function toStackText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const causeText = toStackText(cause.cause);
  return causeText === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${causeText}`;
}
