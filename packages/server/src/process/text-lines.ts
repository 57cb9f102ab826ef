// Formats the lines of the log for people.
import { styleText } from 'node:util';
import { levels, type DestinationStream } from 'pino';

/** Fields on the line of the message, in this order; each other field has a line of its own below it. */
const IN_LINE = ['method', 'path', 'operation', 'status', 'ms', 'refusal', 'aborted', 'requests', 'signal', 'id'];
const WIDTH = 5;
const STYLES: Readonly<Record<string, 'red' | 'yellow' | 'green'>> = { fatal: 'red', error: 'red', warn: 'yellow' };

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
}

/**
 * Creates a destination that takes JSON lines and writes them as text.
 *
 * @param isColored whether to write the ANSI codes of colours
 * @example createLog('info', createTextLines(destination, false)).info({ status: 200 }, 'request');
 */
export function createTextLines(destination: DestinationStream, isColored: boolean): DestinationStream {
  return {
    write(json) {
      destination.write(toText(JSON.parse(json) as Line, isColored));
    },
  };
}

function toText({ level, time, msg = '', ...fields }: Line, isColored: boolean): string {
  const date = new Date(time);
  const clock = `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  const label = levels.labels[level] ?? String(level);
  const words = IN_LINE.filter((name) => name in fields).map((name) => toWord(name, fields[name]));
  const below = Object.entries(fields).filter(([name]) => !IN_LINE.includes(name));
  const rest = [
    [msg, ...words].join(' '),
    ...below.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
  ];
  const head = isColored
    ? [styled('dim', clock), styled(STYLES[label] ?? 'green', label.padEnd(WIDTH))]
    : [clock, label.padEnd(WIDTH)];
  return `${head.join(' ')} ${escape(rest.join('\n'))}\n`;
}

function toWord(name: string, value: unknown): string {
  if (name === 'ms') return `${String(value)} ms`;
  return name === 'aborted' ? name : String(value);
}

function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}

// An error's message may quote a client: escape control characters, and indent further lines so that none looks like an entry.
function escape(text: string): string {
  return (
    text
      // \p{C} without the newline, and the separators of lines and paragraphs.
      .replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`)
      .replaceAll('\n', '\n    ')
  );
}
