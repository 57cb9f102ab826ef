// Formats the lines of the log for people.
import { styleText } from 'node:util';
import { levels, type DestinationStream } from 'pino';

/** Fields on the line of the message, in this order; each other field has a line of its own below it. */
const FIELDS_IN_LINE = [
  'method',
  'path',
  'operation',
  'status',
  'ms',
  'refusal',
  'aborted',
  'requests',
  'signal',
  'id',
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
export function createTextLines(destination: DestinationStream, isColored: boolean): DestinationStream {
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

// The value alone says what it is, but a duration needs its unit, and a flag its name.
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
