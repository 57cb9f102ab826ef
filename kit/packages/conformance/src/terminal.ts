/**
 * Prints findings, progress and usage errors for all tools. Text from a contract or a server is escaped, so that it
 * cannot control the terminal. Terminals get colours (unless NO_COLOR is set) and wrapped lines. Pipes get neither, so
 * that searches in a CI log do not miss wrapped text.
 *
 * @example print(formatFinding({ level: 'error', text: 'the contract is empty' }, process.stdout))
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, stripVTControlCharacters, styleText } from 'node:util';

/** The stream that text is formatted for; undefined for plain text, as in an error message or a file. */
export type Output = NodeJS.WriteStream | undefined;

// Control characters, invisible format characters (Cf, such as U+202E, which reverses text), and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes characters that could control a terminal, such as U+001B, and line breaks. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Does the same as `escapeUnprintable`, but keeps line breaks. */
export function toSafeText(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

export function paint(style: Parameters<typeof styleText>[0], text: string, output: Output): string {
  return output ? styleText(style, text, { stream: output }) : text;
}

/** Prints a line. The caller must have escaped it. */
export function print(text: string, output: NodeJS.WriteStream = process.stdout): void {
  output.write(`${text}\n`);
}

function columnsOf(output: Output): number {
  return output?.isTTY === true ? output.columns || 80 : Infinity;
}

// Matches East Asian characters and emoji, which take two columns.
const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{3fffd}]/gu;

function widthOf(text: string): number {
  return stripVTControlCharacters(text).replace(/\p{M}/gu, '').replace(WIDE_CHARACTERS, '  ').length;
}

const WORD = /\s*\S+/g;
// A shell word with its quotes, or an option together with its quoted value.
const SHELL_WORD = /\s*(?:-[\w-]+ (?=['"]))?(?:'[^']*'|"(?:\\.|[^"])*"|\\.|\S)+/g;
const INDENT = '  ';

/** Wraps a line that is too wide, and indents the new lines. A wrapped command can still be pasted into a shell. */
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

/** Truncates a line that is too wide, and appends dots. */
export function cut(line: string, output: Output, end = ''): string {
  const isTooWide = line !== '' && widthOf(line + end) > columnsOf(output);
  return isTooWide ? cut(line.replace(/[^]$/u, ''), output, '...') : line + end;
}

const COLOURS = { error: 'red', breaking: 'red', 'may break': 'yellow', advice: 'yellow', note: 'blue' } as const;

export interface Finding {
  readonly level: keyof typeof COLOURS;
  /** Where the finding is. Lines and columns are counted from 1. */
  readonly place?: readonly [file: string, line: number, column: number] | undefined;
  /** A headline, followed by one line per detail. */
  readonly text: string;
  /** Shell commands that reproduce the finding. */
  readonly commands?: readonly string[];
}

/**
 * Formats a finding: a headline such as `openapi.yaml:7:5: error: type is missing`, the source line, the details and
 * the commands. When a detail such as `response  500` is wrapped, the new lines are indented to the column after its
 * label.
 */
export function formatFinding({ level, place, text, commands = [] }: Finding, output: Output): string {
  const [first = '', ...details] = toSafeText(text).split('\n');
  const start = place ? `${paint('bold', `${escapeUnprintable(place.join(':'))}:`, output)} ` : '';
  return [
    wrap(`${start}${paint(COLOURS[level], `${level}:`, output)} ${first}`, output, INDENT),
    ...(place && COLOURS[level] === 'red' ? quoteSource(...place, output) : []),
    ...details.map((detail) => wrap(INDENT + detail, output, createHangingIndent(INDENT + detail))),
    ...commands.map((command) => wrap(INDENT + command, output, INDENT.repeat(2), true)),
  ].join('\n');
}

function createHangingIndent(line: string): string {
  return ' '.repeat(/^ *(?:\S+(?: \S+){0,3} {2,})?/.exec(line)?.[0].length ?? 0);
}

const GUTTER_WIDTH = 8;
const MAX_SOURCE_WIDTH = 120;

// Shows the part of the source line around the column that fits, with a caret below the column.
function quoteSource(file: string, line: number, column: number, output: Output): string[] {
  if (output === undefined || !existsSync(file)) return [];
  const text = String(readFileSync(file, 'utf8').split('\n')[line - 1]);
  const width = Math.min(columnsOf(output), MAX_SOURCE_WIDTH) - GUTTER_WIDTH;
  const start = Math.max(0, column - Math.ceil(width / 2));
  const excerpt = escapeUnprintable(text.replaceAll(/\s/g, ' ').slice(start, start + width)).trimEnd();
  const padding = ' '.repeat(widthOf(escapeUnprintable(text.slice(start, column - 1))));
  return [
    `${paint('dim', `${String(line).padStart(GUTTER_WIDTH - 3)} |`, output)} ${excerpt}`,
    `${paint('dim', `${' '.repeat(GUTTER_WIDTH - 3)} |`, output)} ${padding}${paint('red', '^', output)}`,
  ];
}

const BAR_WIDTH = 20;

/**
 * Creates a function that shows progress. In a terminal, it rewrites one line, with a bar and the time left if the
 * total is known. In a log, it prints a line every ten seconds. Called without arguments, it clears the line.
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
    const doneRatio = done / total;
    const isKnown = doneRatio > 0 && doneRatio <= 1;
    const bar = isKnown ? `[${'='.repeat(BAR_WIDTH * doneRatio).padEnd(BAR_WIDTH)}] ` : '';
    const timeLeft = isKnown ? `, ${String(Math.ceil((elapsed / doneRatio - elapsed) / 1000))} s left` : '';
    output.write(`\r\u001b[K${cut(bar + escapeUnprintable(text) + timeLeft, output)}`);
  };
}

/** Thrown if an option is missing or invalid. */
export class UsageError extends Error {
  readonly code = 'INVALID_USAGE';
}

/**
 * Parses command-line arguments. The usage text declares the options: an option that takes a value is followed by a
 * word such as FILE, and several options on one line are separated by commas.
 *
 * @throws UsageError for an option that the usage text does not declare
 */
export function readArguments(usage: string, args: readonly string[]) {
  const optionSpecs = [...usage.matchAll(/^ {2}(--\S.*?)(?: {2}|$)/gm)].flatMap(([, names = '']) => names.split(', '));
  const options = optionSpecs.map((option) => {
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
    const similarOption = options.find(([name]) => name.startsWith(prefix));
    throw new UsageError(similarOption ? `${message}; did you mean --${similarOption[0]}?` : message, { cause: error });
  }
}

/** Wraps the usage text for --help. */
export function formatUsage(usage: string, output: Output): string {
  return usage.replaceAll(/.+/g, (line) => wrap(line, output, createHangingIndent(line)));
}

/** Formats an error. For a usage error, adds the usage line and a hint about --help. */
export function formatError(error: Error, usage: string, output: Output): string {
  const { code, path = '', message } = error as NodeJS.ErrnoException;
  const text = code === 'ENOENT' ? `there is no file ${path}` : message;
  const formattedFinding = formatFinding({ level: 'error', text }, output);
  if (!(error instanceof UsageError)) return formattedFinding;
  return `${formattedFinding}\nusage: ${String(usage.split('\n', 1)[0])}\n--help lists the options`;
}
