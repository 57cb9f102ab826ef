// Finds the parts of a contract that no case produced. A team can list the parts that it accepts in a file.
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

interface AcceptedPattern {
  readonly pattern: string;
  readonly reason: string;
}

/** The uncovered parts, compared with the file of accepted parts. */
export interface CheckedCoverage {
  /** The number of declared parts. */
  readonly declared: number;
  /** Uncovered parts that are not accepted. Each pattern matches all parts of its group. */
  readonly groups: readonly (AcceptedPattern & { readonly uncovered: readonly string[] })[];
  /** The number of accepted parts. */
  readonly acceptedCount: number;
  /** Entries of the file that match an uncovered part. */
  readonly accepted: readonly AcceptedPattern[];
  /** Entries of the file that no longer match an uncovered part. */
  readonly obsolete: readonly AcceptedPattern[];
  readonly file: string | undefined;
}

export interface CoverageOptions {
  /** The file of accepted parts. It does not have to exist yet. */
  readonly file?: string | undefined;
  /** Whether to rewrite the file so that it accepts every uncovered part. */
  readonly isAccepting?: boolean;
  /** Ids of operations without a handler, whose parts do not count as uncovered. */
  readonly unbuilt?: ReadonlySet<string> | undefined;
}

const HEADER = `# Parts of the contract that no case of the conformance suite produces, and why the team accepts that.
# In a pattern, * stands for anything without a space, ** for anything, and 4XX for a status from 400 to 499.
`;

/**
 * Compares the uncovered parts of a run with the file. With `isAccepting`, rewrites the file first. Call this after all
 * cases were sent. An entry accepts nothing until its reason no longer starts with TODO.
 *
 * @throws Error if the file cannot be read, or is a link that would be rewritten
 * @example const { groups } = checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' });
 */
export function checkCoverage(
  { model, coverage }: Pick<Suite, 'model' | 'coverage'>,
  { file, isAccepting = false, unbuilt = new Set() }: CoverageOptions = {},
): CheckedCoverage {
  const items = coverage.list();
  const producedNames = items.filter(({ count }) => count > 0).map(({ name }) => name);
  const uncovered = findUncovered(items, unbuilt).map((item): UncoveredPart => {
    const { method, path } = operationOf(model, item);
    const { name: text } = item;
    // Patterns are split at spaces, so a path must not contain any.
    return { name: `${method} ${path.replaceAll(' ', '%20')} ${text}`, text };
  });
  const isValidReason = (reason: string): boolean => isAccepting || !isPlaceholder(reason);
  const checkedCoverage = compareWithAccepted(uncovered, producedNames, loadAccepted(file), { file, isValidReason });
  if (!isAccepting || file === undefined) return checkedCoverage;
  const addedPatterns = checkedCoverage.groups.map(({ pattern, reason }) => ({ pattern, reason }));
  const accepted = [...checkedCoverage.accepted, ...addedPatterns];
  writeReport(file, `${HEADER}${stringify(accepted, { lineWidth: 0 })}`);
  return compareWithAccepted(uncovered, producedNames, accepted, { file, isValidReason });
}

interface UncoveredPart {
  /** Such as `GET /books 404 response application/json`. */
  readonly name: string;
  /** Such as `404 response application/json`. */
  readonly text: string;
}

function compareWithAccepted(
  uncovered: readonly UncoveredPart[],
  produced: readonly string[],
  accepted: readonly AcceptedPattern[],
  { file, isValidReason }: { readonly file: string | undefined; readonly isValidReason: (reason: string) => boolean },
): CheckedCoverage {
  const matches = accepted.map((entry) => {
    const expression = toExpression(entry.pattern);
    return { entry, matched: uncovered.filter(({ name }) => expression.test(name)) };
  });
  const acceptedParts = new Set(matches.flatMap(({ entry, matched }) => (isValidReason(entry.reason) ? matched : [])));
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

// If no operation produced a part that several declare, a single pattern matches all of these.
function groupUncovered(uncovered: readonly UncoveredPart[], produced: ReadonlySet<string>): CheckedCoverage['groups'] {
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

function isPlaceholder(reason: string): boolean {
  return reason.startsWith('TODO');
}

// `*` matches anything without a space, `**` matches anything, and `4XX` matches 400 to 499 and `4XX` itself.
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

/** @throws Error if the file exists, but is not a list of objects with `pattern` and `reason` */
export function loadAccepted(file: string | undefined): AcceptedPattern[] {
  if (file === undefined || !existsSync(file)) return [];
  const root = parseYaml(readFileSync(file, 'utf8'), file) ?? [];
  if (!Array.isArray(root)) throw new Error(`${file} must be a list of patterns`);
  return root.map((entry: unknown, index) => {
    // Spreading a number or null gives an empty object.
    const { pattern, reason, ...others } = { ...(entry as Partial<Record<string, unknown>>) };
    if (isText(pattern) && isText(reason) && Object.keys(others).length === 0) return { pattern, reason };
    throw new Error(`${file}: entry ${String(index + 1)} must have exactly a pattern and a reason, both strings`);
  });
}

// Keeps only the first line of the parser's message; the other lines quote the file.
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

// Maximum number of rows. With more, people would overlook the important ones; --verbose shows all of them.
const MAX_ROWS = 12;

/**
 * Describes the uncovered parts by pattern, and entries of the file that are obsolete or have no reason. If
 * `isVerbose`, also lists every part.
 *
 * @example console.log(describeCoverage(checkCoverage(suite, { file: 'tests/accepted-gaps.yaml' })));
 */
export function describeCoverage(checkedCoverage: CheckedCoverage, isVerbose = false): string {
  const { groups, accepted, obsolete, file = '' } = checkedCoverage;
  const withoutReason = accepted.filter(({ reason }) => isPlaceholder(reason)).length;
  const shownGroups = isVerbose ? groups : groups.slice(0, MAX_ROWS);
  const hiddenCount = groups.length - shownGroups.length;
  const lines = [
    summarizeCoverage(checkedCoverage),
    ...shownGroups.flatMap(({ pattern, uncovered }) => {
      const row = `${String(uncovered.length).padStart(5)}  ${pattern}`;
      const [example = pattern] = uncovered;
      if (isVerbose) return [row, ...(uncovered.length > 1 ? uncovered.map((part) => `         ${part}`) : [])];
      return [example === pattern ? row : `${row}  for example ${example}`];
    }),
    ...(hiddenCount > 0 ? [`       and ${String(hiddenCount)} more patterns`] : []),
    ...obsolete.map(({ pattern }) => `No longer uncovered, so remove it from ${file}: ${pattern}`),
    ...(withoutReason > 0
      ? [`${file} still has ${String(withoutReason)} TODO${withoutReason === 1 ? '' : 's'}: write the reasons`]
      : []),
  ];
  // The lines can contain text from the contract, but no secrets.
  return lines.map((line) => toSafeLine(line, {})).join('\n');
}

function summarizeCoverage(checkedCoverage: CheckedCoverage): string {
  const { declared, acceptedCount: accepted, file = '' } = checkedCoverage;
  const uncoveredCount = countUncovered(checkedCoverage);
  const produced = accepted + uncoveredCount === 0 ? 'all' : String(declared - accepted - uncoveredCount);
  const acceptedNote =
    accepted > 0 ? `; ${file} accepts ${uncoveredCount === 0 ? 'the other' : 'another'} ${String(accepted)}` : '';
  const start = uncoveredCount > 0 ? `Not covered: ${String(uncoveredCount)}` : `Coverage: cases produced ${produced}`;
  return `${start} of ${String(declared)} declared parts of the contract${acceptedNote}`;
}
