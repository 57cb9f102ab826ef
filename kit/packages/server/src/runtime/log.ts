import { isatty } from 'node:tty';
import { toTerminalText } from '@contract-kit/contract';
import { pino, levels, type DestinationStream } from 'pino';
import { LOG_OPTIONS, type Log } from '../http/request-log';
import { styleText } from 'node:util';
import type { Config } from './config';

const MAX_UNWRITTEN_CHARACTERS = 16 * 1024 ** 2;
// Up to this size, the kernel does not interleave writes of several processes to a pipe (PIPE_BUF in pipe(7)).
const ATOMIC_BYTES = 4096;

/** Creates a log of JSON lines, by default on standard output. */
export function createLog(level: string, destination: DestinationStream = createBackgroundDestination()): Log {
  return pino({ ...LOG_OPTIONS, level }, destination);
}

/** Returns the format from the settings. The default is text for a terminal, and JSON otherwise. */
export function formatOf({ logFormat }: Pick<Config<unknown>, 'logFormat'>, isTerminal = isatty(1)): 'text' | 'json' {
  return logFormat ?? (isTerminal ? 'text' : 'json');
}

export function createStandardOutput(
  config: Pick<Config<unknown>, 'logFormat' | 'logColors'>,
  isTerminal: boolean = isatty(1),
  destination: DestinationStream = createBackgroundDestination(),
): DestinationStream {
  if (formatOf(config, isTerminal) === 'json') return destination;
  return createTextFormatter(destination, isTerminal && config.logColors);
}

/**
 * Writes in the background, so that requests do not wait, and flushes when the process exits. If the reader stalls or the disk
 * is full, lines beyond `maxLength` unwritten characters are dropped, and the service continues. `dest` is a path or descriptor.
 */
export function createBackgroundDestination(
  dest: number | string = 1,
  maxLength: number = MAX_UNWRITTEN_CHARACTERS,
): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest, sync: false, maxLength, maxWrite: ATOMIC_BYTES });
  destination.on('error', () => {
    // Otherwise, pino would retry forever when the process exits.
    destination.flushSync = () => undefined;
  });
  return destination;
}

export function logUnwritten(log: Log, unwritten: readonly string[]): void {
  if (unwritten.length > 0) log.warn({ unwritten }, 'renderError still has placeholder values');
}

/** The fields on the same line as the message, in this order. Each other field has its own line below. */
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
  'client',
  'caller',
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

function createTextFormatter(destination: DestinationStream, isColored: boolean): DestinationStream {
  return {
    write(json) {
      destination.write(formatEntry(JSON.parse(json) as Entry, isColored));
    },
  };
}

// Returns a line such as `12:00:00.000 error request POST /plants createPlant 500 1.2 ms`, and a line for each other field.
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
    ? [applyStyle('dim', clock), applyStyle(LABEL_COLOURS[label] ?? 'green', label.padEnd(LABEL_WIDTH))]
    : [clock, label.padEnd(LABEL_WIDTH)];
  return `${head.join(' ')} ${escapeAndIndent(lines.join('\n'))}\n`;
}

function formatField(name: string, value: unknown): string {
  if (name === 'ms') return `${String(value)} ms`;
  return name === 'aborted' ? name : String(value);
}

function applyStyle(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}

// An error message can quote a client, so this escapes control characters, and indents further lines so that they do not look
// like entries.
function escapeAndIndent(text: string): string {
  return toTerminalText(text).replaceAll('\n', '\n    ');
}
