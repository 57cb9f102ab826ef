import {
  type Finding,
  formatError,
  formatFinding,
  paint,
  print,
  toSafeText,
  UsageError,
  wrap,
} from '@contract-kit/conformance/terminal';
import { ContractError, toPointerKey } from '@contract-kit/contract';

/** An error, or advice, about a contract or a project. */
export interface Diagnostic {
  /** What is wrong, and what to write instead; any further lines are details. */
  readonly message: string;
  /** Diagnostics with the same cause are printed as one line. The default cause is the message. */
  readonly cause?: string;
  /** Called only for printed diagnostics, since it takes time in a large contract. */
  readonly locate: () => Place;
}

/** A diagnostic about a contract. `pointer` is a file and a JSON pointer in it, such as openapi.yaml#/info. */
export interface ContractDiagnostic extends Diagnostic {
  readonly pointer: string;
}

/** A location in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const MAX_PLACES = 4;

/**
 * Formats diagnostics for people, sorted by place. All diagnostics with the same cause become one line, such as
 * `openapi.yaml:7:5 has no description (3 times, also at 9:5, 20:7)`, with the message of the first one.
 */
export function toLines(diagnostics: readonly Diagnostic[]): string[] {
  const groups = Map.groupBy(diagnostics, ({ cause, message }) => cause ?? message);
  return [...groups.values()]
    .map((group) => ({ group, places: group.slice(0, MAX_PLACES).map(({ locate }) => locate()) }))
    .sort((left, right) => comparePlaces(left.places[0], right.places[0]))
    .map(({ group, places }) => {
      // Operations that share a schema also share its place.
      const [first = '', ...otherPlaces] = new Set(places.map(formatPlace));
      const [message = '', ...details] = String(group[0]?.message).split('\n');
      const toLine = (count: string): string => [`${first} ${message}${count}`, ...details].join('\n');
      if (group.length === 1) return toLine('');
      // Further places in the same file are written without its name, as 9:5.
      const file = `${String(places[0]?.file)}:`;
      const rest = otherPlaces.map((place) => (place.startsWith(file) ? place.slice(file.length) : place));
      const dots = group.length > MAX_PLACES ? ', ...' : '';
      return toLine(` (${String(group.length)} times${rest.length > 0 ? `, also at ${rest.join(', ')}${dots}` : ''})`);
    });
}

function formatPlace({ file, line, column }: Place): string {
  return `${file}:${String(line)}:${String(column)}`;
}

function comparePlaces(left: Place | undefined, right: Place | undefined): number {
  if (!left || !right) return 0;
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(node: unknown): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Appends keys to a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, ...keys: readonly string[]): string {
  return [pointer, ...keys.map(toPointerKey)].join('/');
}

/** Splits a JSON pointer (RFC 6901) into its keys: `#/paths/~1books` has the keys `paths` and `/books`. */
export function splitPointer(pointer: string): string[] {
  const escapedKeys = pointer.split('/').slice(1);
  // Empty keys are ignored, so that `#/` means the whole document, like `#`.
  return escapedKeys.filter((key) => key !== '').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Errors that prevent a requested action. The message has a line `file:line:column message` for each error. */
export class DiagnosticsError extends ContractError {
  readonly lines: readonly string[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const lines = toLines(diagnostics);
    super(lines.join('\n'));
    this.lines = lines;
  }
}

// Matches lines from `toLines`, and messages that begin with a place. All files have one of these extensions.
const LINE_WITH_PLACE = /^([^:\n]+\.(?:ya?ml|json|[cm]?tsx?)):(\d+):(\d+) (.*)$/s;

/** Prints lines from `toLines`, or other messages, as findings. */
export function printFindings(
  level: Finding['level'],
  lines: readonly string[],
  output: NodeJS.WriteStream = process.stderr,
): void {
  for (const line of lines) {
    const [, file, row, column, text = line] = LINE_WITH_PLACE.exec(line) ?? [];
    const place = file === undefined ? undefined : ([file, Number(row), Number(column)] as const);
    print(formatFinding({ level, place, text }, output), output);
  }
}

/** Prints what `dev` is doing. */
export function printStatus(style: 'red' | 'green' | 'bold' | 'dim', text: string): void {
  print(wrap(paint(style, `dev: ${toSafeText(text)}`, process.stderr), process.stderr, '  '), process.stderr);
}

/** Returns an error's diagnostics, or its message. */
export function toErrorLines(error: unknown): readonly string[] {
  const { cause, message } = error as Error;
  return [error, cause].find((candidate) => candidate instanceof DiagnosticsError)?.lines ?? [message];
}

/** Prints an error's diagnostics. For a usage error, also prints the usage. */
export function printError(error: unknown, usage: string): void {
  if (error instanceof UsageError) print(formatError(error, usage, process.stderr), process.stderr);
  else printFindings('error', toErrorLines(error));
}
