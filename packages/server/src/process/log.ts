import { isatty } from 'node:tty';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Outcome, Report } from '../contract/http/pending-report';
import { createTextLines } from './text-lines';

/** A log, as pino makes it. */
export type Log = Logger;

export interface LogSettings {
  /** Lines for people, or for programs; undefined unless it is set. */
  readonly logFormat: 'text' | 'json' | undefined;
  /** Whether a terminal gets colours. */
  readonly logColors: boolean;
}

const MAX_UNWRITTEN_CHARACTERS = 16 * 1024 ** 2;

/** Creates a log of JSON lines, on standard output by default. They have no process id and no host name (`base`). */
export function createLog(level: string, destination: DestinationStream = createBackgroundDestination()): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { cause: toStackText } },
    destination,
  );
}

/** The format is text on a terminal, and JSON elsewhere, unless it is set. */
export function createStandardOutput(
  { logFormat, logColors }: LogSettings,
  isTerminal: boolean = isatty(1),
  destination: DestinationStream = createBackgroundDestination(),
): DestinationStream {
  const format = logFormat ?? (isTerminal ? 'text' : 'json');
  return format === 'json' ? destination : createTextLines(destination, isTerminal && logColors);
}

/**
 * Writes in the background, so that no request waits, and the rest at the end of the process. If the reader stalls or the disk
 * is full, lines beyond `maxLength` characters are dropped, and the service goes on. `dest`: a path or descriptor; 1 is stdout.
 */
export function createBackgroundDestination(
  dest: number | string = 1,
  maxLength: number = MAX_UNWRITTEN_CHARACTERS,
): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest, sync: false, maxLength });
  destination.on('error', () => {
    // Otherwise pino would retry for ever at the end of the process.
    destination.flushSync = () => undefined;
  });
  return destination;
}

/** Logs one line per request. The method is the only value of it that a client can choose. */
export function logOutcome(log: Log, { refusal, milliseconds, isAborted, ...outcome }: Outcome): void {
  // pino omits fields that are undefined.
  const line = {
    ...outcome,
    refusal: refusal?.kind,
    // The rule that the request breaks, and where: from the contract or the kit, never from the client.
    rule: refusal?.rule,
    place: refusal?.faults[0]?.place,
    ms: milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000,
    aborted: isAborted === true ? true : undefined,
  };
  // Middleware may fail although the operation replied: then the status is no error.
  if (outcome.status >= 500 || refusal?.kind === 'INTERNAL_ERROR')
    log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

// Stacks only, of an error and its causes: other properties may contain data of the client.
function toStackText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = toStackText(cause.cause);
  return deeper === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${deeper}`;
}

const WINDOW_MS = 1_000;
/** How many refusals with one status are logged in a window. */
const MAX_LOGGED = 100;

/** At most 100 refusals per second and status have a line, so that a client with many bad requests cannot fill the disk. */
export function createRequestLog(log: Log): Report {
  const counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  // Logs how many refusals had no line of their own. The next refusal begins another window.
  function endWindow(): void {
    timer = undefined;
    for (const [status, count] of counts) {
      if (count > MAX_LOGGED) log.warn({ status, requests: count - MAX_LOGGED }, 'requests that have no line');
    }
    counts.clear();
  }

  return function report(outcome: Outcome) {
    if (outcome.status >= 400) {
      timer ??= setTimeout(endWindow, WINDOW_MS).unref();
      const count = (counts.get(outcome.status) ?? 0) + 1;
      counts.set(outcome.status, count);
      if (count > MAX_LOGGED) return;
    }
    logOutcome(log, outcome);
  };
}
