import { pino, type DestinationStream, type Logger } from 'pino';
import type { Outcome } from './contract/outcome';

export type Log = Logger;

/** A log of JSON lines, on standard output unless it is told where else. */
export function createLog(level: string, destination: DestinationStream = inBackground()): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, errorKey: 'cause', serializers: { cause: toText } },
    destination,
  );
}

// No request waits for its line to be written. When the process ends, what is left is.
function inBackground(): DestinationStream {
  return pino.destination({ dest: 1, sync: false });
}

/** One line a request, with nothing in it that a client can choose but the method. */
export function logOutcome(log: Log, { refusal, milliseconds, isAborted, ...outcome }: Outcome): void {
  const line = {
    ...outcome,
    error: refusal?.number,
    ms: milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000,
    aborted: isAborted === true ? true : undefined,
  };
  if (outcome.status >= 500) log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

// Stacks alone: an error may carry what a client sent in its other properties.
function toText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = toText(cause.cause);
  return deeper === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${deeper}`;
}
