// Finds what the contract declares and no case produced, and compares it with what a team accepts in a file.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Suite } from '../suite';
import type { Item } from '../oracle/coverage';
import { toSafeLine } from './failure';
import { writeReport } from './write-report';

/**
 * The items that no case produced.
 *
 * @param unbuilt operations without a handler: what needs one does not count
 */
export function findUncovered(items: readonly Item[], unbuilt: ReadonlySet<string> = new Set()): Item[] {
  return items.filter(({ operation, kind, count }) => {
    // An operation that is not built may be the only one that brings about an error.
    const needsHandler = kind === 'error' ? unbuilt.size > 0 : kind !== 'class' && unbuilt.has(operation);
    return count === 0 && !needsHandler;
  });
}

/** A pattern for uncovered parts that a team accepts, and the reason. */
interface Accepted {
  readonly pattern: string;
  readonly reason: string;
}

/** What is uncovered (declared, but produced by no case), compared with the file of what is accepted. */
export interface CheckedCoverage {
  /** The number of declared items. */
  readonly declared: number;
  /** Uncovered parts that are not accepted, such as `GET /books 404 reply application/json`, by patterns that match them alone. */
  readonly groups: readonly (Accepted & { readonly uncovered: readonly string[] })[];
  /** The number of accepted parts. */
  readonly known: number;
  /** The accepted patterns that match an uncovered part. */
  readonly accepted: readonly Accepted[];
  /** The accepted patterns that match none any more. */
  readonly gone: readonly Accepted[];
  readonly file: string | undefined;
}

/** Options of `checkCoverage`. */
export interface CoverageOptions {
  /** The file of accepted parts; it need not exist yet. */
  readonly file?: string | undefined;
  /** Whether to rewrite the file, so that it accepts all that is uncovered. */
  readonly isAccepting?: boolean;
  /** Operations without a handler: what needs one does not count. */
  readonly unbuilt?: ReadonlySet<string> | undefined;
}

const HEADER = `# What the contract declares and no case of the conformance suite produces, by patterns, and why that is accepted.
# * is anything without a space, ** is anything, 4XX is a status of its class. README.md of the suite says how it is made.
`;

/**
 * Compares what a run left uncovered with the file; with `isAccepting`, rewrites it first. Call it after all cases were
 * sent. A reason that begins with TODO, as it is written, accepts nothing.
 *
 * @throws Error when the file cannot be read, or is a link and would be rewritten
 * @example const { groups } = checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' });
 */
export function checkCoverage(
  { model, coverage, level }: Pick<Suite, 'model' | 'coverage' | 'level'>,
  { file, isAccepting = false, unbuilt = new Set() }: CoverageOptions = {},
): CheckedCoverage {
  // Patterns split at spaces, so a path must have none.
  const requests = new Map(
    model.operations.map(({ id, method, path }) => [id, `${method} ${path.replaceAll(' ', '%20')}`]),
  );
  // Classes of cases count only at the strict level.
  const items = coverage.list().filter(({ kind }) => level === 'strict' || kind !== 'class');
  const produced = items.filter(({ count }) => count > 0).map(textOf);
  const uncovered = findUncovered(items, unbuilt).map((item): Uncovered => ({
    request: requests.get(item.operation),
    text: textOf(item),
  }));
  const isReason = (reason: string): boolean => isAccepting || !isUnwritten(reason);
  const checked = compareWithAccepted(uncovered, produced, loadAccepted(file), { file, isReason });
  if (!isAccepting || file === undefined) return checked;
  const added = checked.groups.map(({ pattern, reason }) => ({ pattern, reason }));
  const accepted = [...checked.accepted, ...added];
  writeReport(file, `${HEADER}${stringify(accepted, { lineWidth: 0 })}`);
  return compareWithAccepted(uncovered, produced, accepted, { file, isReason });
}

// How the text of an error number begins.
const ERROR = 'error ';
const ANY_ERROR = `${ERROR}**`;

interface Uncovered {
  /** Method and path; undefined for items of the whole contract. */
  readonly request: string | undefined;
  readonly text: string;
}

// The status of a reply comes first: `404 reply application/json`.
function textOf({ kind, name }: Item): string {
  const [status = '', type = ''] = kind === 'reply' ? name.split(/ (.*)/s) : [];
  return kind === 'reply' ? `${status} reply ${type}` : `${kind} ${name}`;
}

function nameOf({ request, text }: Uncovered): string {
  return request === undefined ? text : `${request} ${text}`;
}

function compareWithAccepted(
  uncovered: readonly Uncovered[],
  produced: readonly string[],
  accepted: readonly Accepted[],
  { file, isReason }: { readonly file: string | undefined; readonly isReason: (reason: string) => boolean },
): CheckedCoverage {
  const matches = accepted.map((entry) => {
    const expression = toExpression(entry.pattern);
    return { entry, matched: uncovered.filter((part) => expression.test(nameOf(part))) };
  });
  const acceptedParts = new Set(matches.flatMap(({ entry, matched }) => (isReason(entry.reason) ? matched : [])));
  return {
    declared: produced.length + uncovered.length,
    known: acceptedParts.size,
    groups: groupUncovered(
      uncovered.filter((part) => !acceptedParts.has(part)),
      new Set(produced),
    ),
    accepted: matches.filter(({ matched }) => matched.length > 0).map(({ entry }) => entry),
    gone: matches.filter(({ matched }) => matched.length === 0).map(({ entry }) => entry),
    file,
  };
}

// What several operations lack and none produced has one pattern for all of them, and so have errors if none was produced.
function groupUncovered(uncovered: readonly Uncovered[], produced: ReadonlySet<string>): CheckedCoverage['groups'] {
  const hasError = [...produced].some((text) => text.startsWith(ERROR));
  const isAnyError = ({ text }: Uncovered): boolean => !hasError && text.startsWith(ERROR);
  return [...Map.groupBy(uncovered, (part) => (isAnyError(part) ? ANY_ERROR : part.text))]
    .flatMap(([text, alike]) => {
      const reason = defaultReasonOf(text);
      const names = alike.map(nameOf);
      const pattern = text === ANY_ERROR ? text : `* * ${text}`;
      if (names.length > 1 && !produced.has(text)) return [{ pattern, reason, uncovered: names }];
      return names.map((pattern) => ({ pattern, reason, uncovered: [pattern] }));
    })
    .toSorted((one, other) => other.uncovered.length - one.uncovered.length);
}

function defaultReasonOf(text: string): string {
  if (/^5|^class fault$/.test(text)) return "the server's own failure: not produced from outside";
  if (text.startsWith('429 ')) return 'no case sends as many requests as that takes';
  return 'TODO: which test shows it, or why none does';
}

function isUnwritten(reason: string): boolean {
  return reason.startsWith('TODO');
}

// `*` matches anything without a space, `**` anything, and the word `4XX` a status of that class, or 4XX itself.
function toExpression(pattern: string): RegExp {
  const words = pattern
    .split(' ')
    .map((word) =>
      /^[1-5]XX$/.test(word)
        ? `${word.charAt(0)}(?:\\d\\d|XX)`
        : word.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replace(/\*\*?/g, (stars) => (stars === '*' ? '[^ ]*' : '.*')),
    );
  return new RegExp(`^${words.join(' ')}$`, 's');
}

/** Loads the accepted gaps, none without a file. @throws Error unless it is a list of `pattern` and `reason` */
export function loadAccepted(file: string | undefined): Accepted[] {
  if (file === undefined || !existsSync(file)) return [];
  const root = parseYaml(readFileSync(file, 'utf8'), file) ?? [];
  if (!Array.isArray(root)) throw new Error(`${file} is not a list of patterns`);
  return root.map((entry: unknown, index) => {
    // Spreading turns a number or null, which have no members, into an empty object.
    const { pattern, reason, ...others } = { ...(entry as Partial<Record<string, unknown>>) };
    if (isText(pattern) && isText(reason) && Object.keys(others).length === 0) return { pattern, reason };
    throw new Error(`${file}: number ${String(index + 1)} is not a pattern and a reason, both of them texts`);
  });
}

// The error has only the first line of the parser's message; the others are an excerpt of the text.
function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${file} is not YAML: ${String((error as Error).message.split('\n')[0])}`, { cause: error });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The number of uncovered parts that are not accepted. */
export function countUncovered({ groups }: Pick<CheckedCoverage, 'groups'>): number {
  return groups.reduce((sum, { uncovered }) => sum + uncovered.length, 0);
}

// How many patterns are shown by default: people do not read more.
const MAX_ROWS = 12;

/**
 * Describes uncovered parts by patterns (each part, if verbose), and entries of the file that are obsolete or lack a reason.
 *
 * @example console.log(describeCoverage(checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' })));
 */
export function describeCoverage(checked: CheckedCoverage, isVerbose = false): string {
  const { groups, accepted, gone, file = '' } = checked;
  const withoutReason = accepted.filter(({ reason }) => isUnwritten(reason)).length;
  const shown = isVerbose ? groups : groups.slice(0, MAX_ROWS);
  const hidden = groups.length - shown.length;
  const lines = [
    summarizeCoverage(checked),
    ...shown.flatMap(({ pattern, uncovered }) => {
      const row = `${String(uncovered.length).padStart(5)}  ${pattern}`;
      const [example = pattern] = uncovered;
      if (isVerbose) return [row, ...(uncovered.length > 1 ? uncovered.map((part) => `         ${part}`) : [])];
      return [example === pattern ? row : `${row}  such as ${example}`];
    }),
    ...(hidden > 0 ? [`       and ${String(hidden)} more`] : []),
    ...gone.map(({ pattern }) => `Covered by now, so that ${file} need not have it: ${pattern}`),
    ...(withoutReason > 0 ? [`Reasons that are still to be written in ${file}: ${String(withoutReason)}`] : []),
  ];
  // The lines hold text of the contract, so escape control characters; no secrets need to be removed.
  return lines.map((line) => toSafeLine(line, {})).join('\n');
}

function summarizeCoverage(checked: CheckedCoverage): string {
  const { declared, known: accepted, file = '' } = checked;
  const unaccepted = countUncovered(checked);
  const start = `Cases should produce ${String(declared)} things that the contract declares, and did`;
  if (accepted + unaccepted === 0) return start;
  const withUncovered = `${start} not produce ${String(accepted + unaccepted)} of them`;
  if (accepted === 0) return withUncovered;
  return unaccepted === 0
    ? `${withUncovered}, which ${file} accepts`
    : `${withUncovered}; ${file} accepts ${String(accepted)}, and not these ${String(unaccepted)}`;
}
