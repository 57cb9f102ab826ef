/**
 * How all tools print findings, progress and mistakes in arguments. What comes from a contract or a server cannot command
 * the terminal. A terminal gets colours, unless NO_COLOR is set, and lines of its width. A pipe gets neither: what people
 * search for in the log of CI stays on one line.
 *
 * @example print(formatFinding({ level: 'error', text: 'the contract is empty' }, process.stdout))
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, stripVTControlCharacters, styleText } from 'node:util';

/** Whom a text is for; undefined if it is not printed, but the message of an error, or in a file. */
export type Output = NodeJS.WriteStream | undefined;

// Control characters, invisible format characters (Cf, such as U+202E, which reverses text), and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes what could command a terminal, such as `\u{1b}`, and line ends, too. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Escapes the same in each line of a text. */
export function toSafeText(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

export function paint(style: Parameters<typeof styleText>[0], text: string, output: Output): string {
  return output ? styleText(style, text, { stream: output }) : text;
}

/** Prints what is safe already. */
export function print(text: string, output: NodeJS.WriteStream = process.stdout): void {
  output.write(`${text}\n`);
}

function columnsOf(output: Output): number {
  return output?.isTTY === true ? output.columns || 80 : Infinity;
}

// East Asian characters and emoji take two columns.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{3fffd}]/gu;

function widthOf(text: string): number {
  return stripVTControlCharacters(text).replace(/\p{M}/gu, '').replace(WIDE, '  ').length;
}

const WORD = /\s*\S+/g;
// Of a command for a shell, with its quotes; an option is not parted from its value.
const SHELL_WORD = /\s*(?:-[\w-]+ (?=['$]))?(?:\$'(?:\\.|[^'])*'|'[^']*'|"(?:\\.|[^"])*"|\S)+/g;
const INDENT = '  ';

/** Breaks a line that is too wide between words, never within one, and indents what follows. A command can still be copied. */
export function wrap(line: string, output: Output, indent = '', isCommand = false): string {
  const lines = [''];
  const [words, end] = isCommand ? [SHELL_WORD, ' \\'] : [WORD, ''];
  for (const [word] of widthOf(line) > columnsOf(output) ? line.matchAll(words) : [[line]]) {
    const last = String(lines.at(-1));
    const isFull = last !== '' && widthOf(last + word + end) > columnsOf(output);
    if (isFull) lines.push(indent + word.trimStart());
    else lines[lines.length - 1] = last + word;
  }
  return lines.join(`${end}\n`);
}

const COLOURS = { error: 'red', breaking: 'red', 'may break': 'yellow', advice: 'yellow', note: 'blue' } as const;

/** Something that a person should know. */
export interface Finding {
  readonly level: keyof typeof COLOURS;
  /** The file, the line and the column, both from 1. */
  readonly place?: readonly [file: string, line: number, column: number] | undefined;
  /** What it is, and a line for each detail. */
  readonly text: string;
  /** Commands for a shell that show it. */
  readonly commands?: readonly string[];
}

/**
 * Formats a finding: a line such as `openapi.yaml:7:5: error: type is missing`, the line of the file, the details and the
 * commands. What follows the first word of a detail and two spaces (`response  500`) stays in its column.
 */
export function formatFinding({ level, place, text, commands = [] }: Finding, output: Output): string {
  const [first = '', ...details] = toSafeText(text).split('\n');
  const start = place ? `${paint('bold', `${escapeUnprintable(place.join(':'))}:`, output)} ` : '';
  return [
    wrap(`${start}${paint(COLOURS[level], `${level}:`, output)} ${first}`, output, INDENT),
    ...(place && COLOURS[level] === 'red' ? quoteSource(...place, output) : []),
    ...details.map((detail) => wrap(INDENT + detail, output, toIndent(INDENT + detail))),
    ...commands.map((command) => wrap(INDENT + command, output, INDENT.repeat(2), true)),
  ].join('\n');
}

function toIndent(line: string): string {
  return ' '.repeat(/^ *(?:\S+(?: \S+){0,3} {2,})?/.exec(line)?.[0].length ?? 0);
}

const GUTTER = 8;
const MAX_SOURCE = 120;

// The line of a file, as much of it as fits, and a caret below the place.
function quoteSource(file: string, line: number, column: number, output: Output): string[] {
  if (output === undefined || !existsSync(file)) return [];
  const text = String(readFileSync(file, 'utf8').split('\n')[line - 1]);
  const width = Math.min(columnsOf(output), MAX_SOURCE) - GUTTER;
  const start = Math.max(0, column - Math.ceil(width / 2));
  const shown = escapeUnprintable(text.replaceAll(/\s/g, ' ').slice(start, start + width)).trimEnd();
  const before = ' '.repeat(widthOf(escapeUnprintable(text.slice(start, column - 1))));
  return [
    `${paint('dim', `${String(line).padStart(GUTTER - 3)} |`, output)} ${shown}`,
    `${paint('dim', `${' '.repeat(GUTTER - 3)} |`, output)} ${before}${paint('red', '^', output)}`,
  ];
}

const BAR = 20;

/**
 * Creates what shows how far something is: a line that a terminal rewrites, with a bar and the time left if the total is
 * known. Without arguments it takes the line away. A log gets a line every ten seconds.
 */
export function createProgress(output: NodeJS.WriteStream = process.stderr) {
  const start = performance.now();
  let next = output.isTTY ? 0 : 10_000;
  return (text = '', done = 0, total = 0): void => {
    const elapsed = performance.now() - start;
    if (text === '' && output.isTTY) output.write('\r\u001b[K');
    if (text === '' || elapsed < next) return;
    next = elapsed + (output.isTTY ? 100 : 10_000);
    if (!output.isTTY) {
      print(escapeUnprintable(text), output);
      return;
    }
    const share = done / total;
    const isKnown = share > 0 && share <= 1;
    const bar = isKnown ? `[${'='.repeat(BAR * share).padEnd(BAR)}] ` : '';
    const left = isKnown ? `, ${String(Math.ceil((elapsed / share - elapsed) / 1000))} s left` : '';
    const [line = ''] = wrap(bar + escapeUnprintable(text) + left, output).split('\n');
    output.write(`\r\u001b[K${line}`);
  };
}

/** An option is missing or wrong. */
export class UsageError extends Error {
  readonly code = 'INVALID_USAGE';
}

/**
 * Reads arguments by the text that --help prints: each option is on a line of its own, or behind a comma, with a word such
 * as FILE if it has a value.
 *
 * @throws UsageError for an option that the text does not have
 */
export function readArguments(usage: string, args: readonly string[]) {
  const named = [...usage.matchAll(/^ {2}(--\S.*?)(?: {2}|$)/gm)].flatMap(([, names = '']) => names.split(', '));
  const options = named.map((option) => {
    const [name = '', value] = option.slice(2).split(' ');
    return [name, { type: value === undefined ? 'boolean' : 'string', multiple: true }] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      ...{ args: [...args], allowPositionals: true, options: Object.fromEntries(options) },
    });
    const list = (name: string): string[] => (values[name] ?? []).map(String);
    return { positionals, list, has: (name: string) => name in values, text: (name: string) => list(name).at(-1) };
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. ');
    const [, unknown = ' '] = /option '--(\w{1,4})/.exec(message) ?? [];
    const near = options.find(([name]) => name.startsWith(unknown));
    throw new UsageError(near ? `${message}; did you mean --${near[0]}?` : message, { cause: error });
  }
}

/** Formats the text that --help prints, for the width of a terminal. */
export function formatUsage(usage: string, output: Output): string {
  return usage.replaceAll(/.+/g, (line) => wrap(line, output, toIndent(line)));
}

/** Formats an error; one in the arguments with the form of the command, and where to look. */
export function formatError(error: Error, usage: string, output: Output): string {
  const { code, path = '', message } = error as NodeJS.ErrnoException;
  const text = code === 'ENOENT' ? `there is no file ${path}` : message;
  const finding = formatFinding({ level: 'error', text }, output);
  if (!(error instanceof UsageError)) return finding;
  return `${finding}\nusage: ${String(usage.split('\n', 1)[0])}\n--help lists the options`;
}
