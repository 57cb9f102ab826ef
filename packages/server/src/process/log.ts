import { isatty } from 'node:tty';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Outcome } from '../contract/http/outcome';
import { createTextLines } from './text-lines';

/** A log, as pino makes it. */
export type Log = Logger;

/** What standard output is written like. */
export interface LogSettings {
  /** Lines for people, or for programs; undefined unless it is set. */
  readonly logFormat: 'text' | 'json' | undefined;
  /** Whether a terminal gets colours. */
  readonly logColors: boolean;
}

const MAX_BACKLOG = 16 * 1024 ** 2;

/** A log of JSON lines, on standard output by default. */
export function createLog(level: string, destination: DestinationStream = inBackground()): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { cause: toText } },
    destination,
  );
}

/** Standard output: lines for people where it is a terminal, and JSON lines elsewhere, unless a format is chosen. */
export function toStandardOutput(
  { logFormat, logColors }: LogSettings,
  isTerminal: boolean = isatty(1),
  destination: DestinationStream = inBackground(),
): DestinationStream {
  const format = logFormat ?? (isTerminal ? 'text' : 'json');
  return format === 'json' ? destination : createTextLines(destination, isTerminal && logColors);
}

/**
 * Writes lines in the background, so that no request waits for them. At the end of the process it writes the rest.
 *
 * If the reader stalls or the disk is full, lines beyond a limit are dropped, and the service goes on.
 *
 * @param maxLength the limit of unwritten characters
 */
export function inBackground(
  dest: number | string = 1,
  maxLength: number = MAX_BACKLOG,
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
  const line = {
    ...outcome,
    refusal: refusal?.kind,
    // The contract's words and the kit's, never the client's.
    rule: refusal?.rule,
    place: refusal?.faults[0]?.place,
    ms: milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000,
    aborted: isAborted === true ? true : undefined,
  };
  // Middleware may fail although the reply is a good one.
  if (outcome.status >= 500 || refusal?.kind === 'INTERNAL_ERROR')
    log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

// Log stacks only: other properties of an error may contain data of the client.
function toText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = toText(cause.cause);
  return deeper === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${deeper}`;
}
