import { pino, type DestinationStream, type Logger } from 'pino';
import type { Outcome } from '../contract/http/outcome';

export type Log = Logger;

const MAX_BACKLOG = 16 * 1024 ** 2;

/** A log of JSON lines, on standard output unless it is told where else. */
export function createLog(level: string, destination: DestinationStream = inBackground()): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { cause: toText } },
    destination,
  );
}

/**
 * Writes lines without a request waiting for it, and what is left when the process ends.
 *
 * A reader that stalls, or a disk that is full, costs lines, not the service: beyond a bound they are dropped.
 *
 * @param maxLength how much is kept for a reader that is behind, in characters
 */
export function inBackground(
  dest: number | string = 1,
  maxLength: number = MAX_BACKLOG,
): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest, sync: false, maxLength });
  destination.on('error', () => {
    // At the end of the process it would be tried for ever.
    destination.flushSync = () => undefined;
  });
  return destination;
}

/** One line a request, with nothing in it that a client can choose but the method. */
export function logOutcome(log: Log, { refusal, milliseconds, isAborted, ...outcome }: Outcome): void {
  const line = {
    ...outcome,
    refusal: refusal?.kind,
    ms: milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000,
    aborted: isAborted === true ? true : undefined,
  };
  // Middleware may fail although the reply is a good one.
  if (outcome.status >= 500 || refusal?.kind === 'INTERNAL_ERROR')
    log.error({ ...line, cause: refusal?.cause }, 'request');
  else log.info(line, 'request');
}

// Stacks alone: an error may carry what a client sent in its other properties.
function toText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = toText(cause.cause);
  return deeper === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${deeper}`;
}
