// Finds the parts of a contract that no case produced, and compares them with a file of those that a team accepts.
import { existsSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Suite } from '../suite';
import { operationOf } from '../contract/model';
import type { Item } from '../oracle/coverage';
import { toSafeLine } from './failure';
import { writeReport } from './write-report';

export function findUncovered(items: readonly Item[], unbuilt: ReadonlySet<string> = new Set()): Item[] {
  return items.filter(({ operation, count }) => count === 0 && !unbuilt.has(operation));
}

interface Accepted {
  readonly pattern: string;
  readonly reason: string;
}

/** The declared parts that no case produced, compared with the file of accepted ones. */
export interface CheckedCoverage {
  /** The number of declared parts. */
  readonly declared: number;
  /** Uncovered parts that are not accepted, such as `GET /books 404 response application/json`, by a pattern for each group. */
  readonly groups: readonly (Accepted & { readonly uncovered: readonly string[] })[];
  /** The number of accepted parts. */
  readonly acceptedCount: number;
  /** The entries of the file that match an uncovered part. */
  readonly accepted: readonly Accepted[];
  /** The entries of the file that no longer match any. */
  readonly obsolete: readonly Accepted[];
  readonly file: string | undefined;
}

export interface CoverageOptions {
  /** The file of accepted parts; it need not exist yet. */
  readonly file?: string | undefined;
  /** Whether to rewrite the file so that it accepts every uncovered part. */
  readonly isAccepting?: boolean;
  /** The ids of operations without a handler. Their parts do not count as uncovered. */
  readonly unbuilt?: ReadonlySet<string> | undefined;
}

const HEADER = `# Parts of the contract that no case of the conformance suite produces, and why the team accepts that.
# In a pattern, * stands for anything without a space, ** for anything, and 4XX for a status from 400 to 499.
`;

/**
 * Compares what a run left uncovered with the file; with `isAccepting`, rewrites it first. Call it after all cases were
 * sent. An entry accepts nothing until somebody replaces the TODO at the start of its reason.
 *
 * @throws Error when the file cannot be read, or is a link and would be rewritten
 * @example const { groups } = checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' });
 */
export function checkCoverage(
  { model, coverage }: Pick<Suite, 'model' | 'coverage'>,
  { file, isAccepting = false, unbuilt = new Set() }: CoverageOptions = {},
): CheckedCoverage {
  const items = coverage.list();
  const produced = items.filter(({ count }) => count > 0).map(({ name }) => name);
  const uncovered = findUncovered(items, unbuilt).map((item): Uncovered => {
    const { method, path } = operationOf(model, item);
    const { name: text } = item;
    // A pattern is split at its spaces, so a path must not contain any.
    return { name: `${method} ${path.replaceAll(' ', '%20')} ${text}`, text };
  });
  const isReason = (reason: string): boolean => isAccepting || !isUnwritten(reason);
  const checked = compareWithAccepted(uncovered, produced, loadAccepted(file), { file, isReason });
  if (!isAccepting || file === undefined) return checked;
  const added = checked.groups.map(({ pattern, reason }) => ({ pattern, reason }));
  const accepted = [...checked.accepted, ...added];
  writeReport(file, `${HEADER}${stringify(accepted, { lineWidth: 0 })}`);
  return compareWithAccepted(uncovered, produced, accepted, { file, isReason });
}

interface Uncovered {
  /** Such as `GET /books 404 response application/json`. */
  readonly name: string;
  /** Such as `404 response application/json`. */
  readonly text: string;
}

function compareWithAccepted(
  uncovered: readonly Uncovered[],
  produced: readonly string[],
  accepted: readonly Accepted[],
  { file, isReason }: { readonly file: string | undefined; readonly isReason: (reason: string) => boolean },
): CheckedCoverage {
  const matches = accepted.map((entry) => {
    const expression = toExpression(entry.pattern);
    return { entry, matched: uncovered.filter(({ name }) => expression.test(name)) };
  });
  const acceptedParts = new Set(matches.flatMap(({ entry, matched }) => (isReason(entry.reason) ? matched : [])));
  return {
    declared: produced.length + uncovered.length,
    acceptedCount: acceptedParts.size,
    groups: groupUncovered(
      uncovered.filter((part) => !acceptedParts.has(part)),
      new Set(produced),
    ),
    accepted: matches.filter(({ matched }) => matched.length > 0).map(({ entry }) => entry),
    obsolete: matches.filter(({ matched }) => matched.length === 0).map(({ entry }) => entry),
    file,
  };
}

// If several operations lack a part that no operation produced, one pattern stands for all of them.
function groupUncovered(uncovered: readonly Uncovered[], produced: ReadonlySet<string>): CheckedCoverage['groups'] {
  return [...Map.groupBy(uncovered, ({ text }) => text)]
    .flatMap(([text, group]) => {
      const reason = defaultReasonOf(text);
      const names = group.map(({ name }) => name);
      if (names.length > 1 && !produced.has(text)) return [{ pattern: `* * ${text}`, reason, uncovered: names }];
      return names.map((pattern) => ({ pattern, reason, uncovered: [pattern] }));
    })
    .toSorted((left, right) => right.uncovered.length - left.uncovered.length);
}

function defaultReasonOf(text: string): string {
  if (text.startsWith('5')) return 'only a failure inside the server causes it, which a client cannot produce';
  if (text.startsWith('429 ')) return 'no case sends enough requests to reach the rate limit';
  return 'TODO: name the test that covers it, or say why none does';
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

/** @throws Error unless the file is missing or is a list of `pattern` and `reason` */
export function loadAccepted(file: string | undefined): Accepted[] {
  if (file === undefined || !existsSync(file)) return [];
  const root = parseYaml(readFileSync(file, 'utf8'), file) ?? [];
  if (!Array.isArray(root)) throw new Error(`${file} must be a list of patterns`);
  return root.map((entry: unknown, index) => {
    // Spreading turns a number or null, which have no members, into an empty object.
    const { pattern, reason, ...others } = { ...(entry as Partial<Record<string, unknown>>) };
    if (isText(pattern) && isText(reason) && Object.keys(others).length === 0) return { pattern, reason };
    throw new Error(`${file}: entry ${String(index + 1)} must have exactly a pattern and a reason, both strings`);
  });
}

// Keeps only the first line of the parser's message, since the other lines are an excerpt of the text.
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

export function countUncovered({ groups }: Pick<CheckedCoverage, 'groups'>): number {
  return groups.reduce((sum, { uncovered }) => sum + uncovered.length, 0);
}

// People do not read more than this unless they ask for it with --verbose.
const MAX_ROWS = 12;

/**
 * Describes uncovered parts by pattern (with each part, if verbose), and entries of the file that are obsolete or lack a reason.
 *
 * @example console.log(describeCoverage(checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' })));
 */
export function describeCoverage(checked: CheckedCoverage, isVerbose = false): string {
  const { groups, accepted, obsolete, file = '' } = checked;
  const withoutReason = accepted.filter(({ reason }) => isUnwritten(reason)).length;
  const shown = isVerbose ? groups : groups.slice(0, MAX_ROWS);
  const hidden = groups.length - shown.length;
  const lines = [
    summarizeCoverage(checked),
    ...shown.flatMap(({ pattern, uncovered }) => {
      const row = `${String(uncovered.length).padStart(5)}  ${pattern}`;
      const [example = pattern] = uncovered;
      if (isVerbose) return [row, ...(uncovered.length > 1 ? uncovered.map((part) => `         ${part}`) : [])];
      return [example === pattern ? row : `${row}  for example ${example}`];
    }),
    ...(hidden > 0 ? [`       and ${String(hidden)} more patterns`] : []),
    ...obsolete.map(({ pattern }) => `No longer uncovered, so remove it from ${file}: ${pattern}`),
    ...(withoutReason > 0
      ? [`${file} still has ${String(withoutReason)} TODO${withoutReason === 1 ? '' : 's'}: write the reasons`]
      : []),
  ];
  // The lines contain text from the contract, but no secrets.
  return lines.map((line) => toSafeLine(line, {})).join('\n');
}

function summarizeCoverage(checked: CheckedCoverage): string {
  const { declared, acceptedCount: accepted, file = '' } = checked;
  const unaccepted = countUncovered(checked);
  const produced = accepted + unaccepted === 0 ? 'all' : String(declared - accepted - unaccepted);
  const acceptedNote =
    accepted > 0 ? `; ${file} accepts ${unaccepted === 0 ? 'the other' : 'another'} ${String(accepted)}` : '';
  const start = unaccepted > 0 ? `Not covered: ${String(unaccepted)}` : `Coverage: cases produced ${produced}`;
  return `${start} of ${String(declared)} declared parts of the contract${acceptedNote}`;
}
