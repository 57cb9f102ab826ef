/**
 * How all tools print findings, progress and usage errors. Text from a contract or a server cannot control the terminal.
 * A terminal gets colours, unless NO_COLOR is set, and lines that fit its width. A pipe gets neither, so that what people
 * search for in a CI log is on one line.
 *
 * @example print(formatFinding({ level: 'error', text: 'the contract is empty' }, process.stdout))
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, stripVTControlCharacters, styleText } from 'node:util';

/** The stream that a text is formatted for; undefined for the message of an error, or for a file. */
export type Output = NodeJS.WriteStream | undefined;

// Control characters, invisible format characters (Cf, such as U+202E, which reverses text), and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes everything that could control a terminal, such as U+001B, including line ends. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Escapes the same characters except line ends. */
export function toSafeText(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

export function paint(style: Parameters<typeof styleText>[0], text: string, output: Output): string {
  return output ? styleText(style, text, { stream: output }) : text;
}

/** Prints a line, which the caller has to escape. */
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
// A word of a shell command with its quotes, or an option with its value.
const SHELL_WORD = /\s*(?:-[\w-]+ (?=['"]))?(?:'[^']*'|"(?:\\.|[^"])*"|\\.|\S)+/g;
const INDENT = '  ';

/** Breaks a line that is too wide between words, and indents the rest. A broken command can still be pasted into a shell. */
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

/** Cuts a line that is too wide, and ends it with dots. */
export function cut(line: string, output: Output, end = ''): string {
  const isTooWide = line !== '' && widthOf(line + end) > columnsOf(output);
  return isTooWide ? cut(line.replace(/[^]$/u, ''), output, '...') : line + end;
}

const COLOURS = { error: 'red', breaking: 'red', 'may break': 'yellow', advice: 'yellow', note: 'blue' } as const;

export interface Finding {
  readonly level: keyof typeof COLOURS;
  /** The file, the line and the column, both from 1. */
  readonly place?: readonly [file: string, line: number, column: number] | undefined;
  /** A headline, and then a line for each detail. */
  readonly text: string;
  /** Shell commands that reproduce it. */
  readonly commands?: readonly string[];
}

/**
 * Formats a finding: a headline such as `openapi.yaml:7:5: error: type is missing`, the line of the file, the details and
 * the commands. If a detail is broken, its text stays in the column after its label (`response  500`).
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

// Shows as much of the line of the file as fits, with a caret below the column.
function quoteSource(file: string, line: number, column: number, output: Output): string[] {
  if (output === undefined || !existsSync(file)) return [];
  const text = String(readFileSync(file, 'utf8').split('\n')[line - 1]);
  const width = Math.min(columnsOf(output), MAX_SOURCE) - GUTTER;
  const start = Math.max(0, column - Math.ceil(width / 2));
  const excerpt = escapeUnprintable(text.replaceAll(/\s/g, ' ').slice(start, start + width)).trimEnd();
  const padding = ' '.repeat(widthOf(escapeUnprintable(text.slice(start, column - 1))));
  return [
    `${paint('dim', `${String(line).padStart(GUTTER - 3)} |`, output)} ${excerpt}`,
    `${paint('dim', `${' '.repeat(GUTTER - 3)} |`, output)} ${padding}${paint('red', '^', output)}`,
  ];
}

const BAR_WIDTH = 20;

/**
 * Creates a function that shows progress: in a terminal, one line that it rewrites, with a bar and the time left if the
 * total is known; in a log, a line every ten seconds. Without arguments, the function removes the line.
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
    const bar = isKnown ? `[${'='.repeat(BAR_WIDTH * share).padEnd(BAR_WIDTH)}] ` : '';
    const left = isKnown ? `, ${String(Math.ceil((elapsed / share - elapsed) / 1000))} s left` : '';
    output.write(`\r\u001b[K${cut(bar + escapeUnprintable(text) + left, output)}`);
  };
}

/** An option is missing or invalid. */
export class UsageError extends Error {
  readonly code = 'INVALID_USAGE';
}

/**
 * Parses arguments. The options are those in the usage text: each on a line of its own or after a comma, with a word such
 * as FILE if it takes a value.
 *
 * @throws UsageError for any other option
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
    const [, prefix = ' '] = /option '--(\w{1,4})/.exec(message) ?? [];
    const similar = options.find(([name]) => name.startsWith(prefix));
    throw new UsageError(similar ? `${message}; did you mean --${similar[0]}?` : message, { cause: error });
  }
}

/** Wraps the text that --help prints. */
export function formatUsage(usage: string, output: Output): string {
  return usage.replaceAll(/.+/g, (line) => wrap(line, output, toIndent(line)));
}

/** Formats an error. A usage error also shows the usage line and refers to --help. */
export function formatError(error: Error, usage: string, output: Output): string {
  const { code, path = '', message } = error as NodeJS.ErrnoException;
  const text = code === 'ENOENT' ? `there is no file ${path}` : message;
  const finding = formatFinding({ level: 'error', text }, output);
  if (!(error instanceof UsageError)) return finding;
  return `${finding}\nusage: ${String(usage.split('\n', 1)[0])}\n--help lists the options`;
}
