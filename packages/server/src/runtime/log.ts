import { AsyncResource } from 'node:async_hooks';
import { isatty } from 'node:tty';
import { pino, levels, type DestinationStream, type Logger } from 'pino';
import type { Outcome, Report } from '../http/report';
import { traceOptions } from '../http/trace';
import { styleText } from 'node:util';

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
    {
      level,
      base: null,
      ...traceOptions,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { cause: toStackText, err: toStackText },
    },
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
  return format === 'json' ? destination : createTextFormatter(destination, isTerminal && logColors);
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

/** Warns of what a project's renderError marks as still to be written, if anything. */
export function logUnwritten(log: Log, unwritten: readonly string[]): void {
  if (unwritten.length > 0) log.warn({ unwritten }, 'renderError has values to be written');
}

/** Logs one line per request. Of it a client chooses the method, the id, and the path that no operation has. */
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
  const causeText = toStackText(cause.cause);
  return causeText === undefined ? cause.stack : `${String(cause.stack)}\ncaused by ${causeText}`;
}

const WINDOW_MS = 1_000;
/** How many refusals with one status are logged in a window. */
const MAX_LOGGED = 100;

/** Logs at most 100 refusals per second and status, so that a client with many bad requests cannot fill the disk. */
export function createRequestLog(log: Log): Report {
  const counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  // Logs how many refusals had no line of their own. The next refusal begins another window.
  // Its line has no ids of the request that began the window.
  const endWindow = AsyncResource.bind(() => {
    timer = undefined;
    for (const [status, count] of counts) {
      if (count > MAX_LOGGED) log.warn({ status, requests: count - MAX_LOGGED }, 'requests that have no line');
    }
    counts.clear();
  });

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

/** Fields on the line of the message, in this order; each other field has a line of its own below it. */
const FIELDS_IN_LINE = [
  'method',
  'path',
  'requestedPath',
  'operation',
  'status',
  'ms',
  'refusal',
  'aborted',
  'requests',
  'signal',
  'id',
  'trace_id',
  'span_id',
];
const LABEL_WIDTH = 5;
const LABEL_COLOURS: Readonly<Record<string, 'red' | 'yellow' | 'green'>> = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
};

interface Entry extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
}

/** Takes JSON lines and writes them as text, with the ANSI codes of colours if `isColored`. */
function createTextFormatter(destination: DestinationStream, isColored: boolean): DestinationStream {
  return {
    write(json) {
      destination.write(formatEntry(JSON.parse(json) as Entry, isColored));
    },
  };
}

// Such as `12:00:00.000 error request POST /plants createPlant 500 1.2 ms`, and further lines below it.
function formatEntry({ level, time, msg = '', ...fields }: Entry, isColored: boolean): string {
  const date = new Date(time);
  const clock = `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  const label = levels.labels[level] ?? String(level);
  const fieldsInLine = FIELDS_IN_LINE.filter((name) => name in fields).map((name) => formatField(name, fields[name]));
  const fieldsBelow = Object.entries(fields).filter(([name]) => !FIELDS_IN_LINE.includes(name));
  const lines = [
    [msg, ...fieldsInLine].join(' '),
    ...fieldsBelow.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
  const head = isColored
    ? [styled('dim', clock), styled(LABEL_COLOURS[label] ?? 'green', label.padEnd(LABEL_WIDTH))]
    : [clock, label.padEnd(LABEL_WIDTH)];
  return `${head.join(' ')} ${escapeAndIndent(lines.join('\n'))}\n`;
}

// Writes the value alone, but a duration with its unit, and a flag as its name.
function formatField(name: string, value: unknown): string {
  if (name === 'ms') return `${String(value)} ms`;
  return name === 'aborted' ? name : String(value);
}

function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}

// Makes a text safe for a terminal and a log. An error's message may quote a client: escape control characters, and indent
// further lines so that none looks like an entry.
function escapeAndIndent(text: string): string {
  return (
    text
      // \p{C} without the newline, and the separators of lines and paragraphs.
      .replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`)
      .replaceAll('\n', '\n    ')
  );
}
