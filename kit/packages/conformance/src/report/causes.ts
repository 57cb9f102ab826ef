import { titleOf } from '../generators/case';
import { LEVELS } from '../contract/standards';
import { type CaseResult, CHECKS, type CheckName, type Finding } from '../oracle/checks';
import type { Secrets } from '../wire/secret';
import type { Target } from '../exchange/exchange';
import { describePointer } from '../contract/pointer';
import { formatFinding, type Output } from '../terminal';
import { toCurl } from '../wire/curl';
import { describeExchange, toSafeLine } from './failure';

/** Findings of the same check that probably have the same cause. */
export interface Cause {
  readonly check: CheckName;
  /** The standard that the check is based on. */
  readonly source: string;
  readonly text: string;
  /** The JSON pointer of the declared reply. Undefined if the check does not come from the contract. */
  readonly pointer: string | undefined;
  /** In the order of the run. */
  readonly results: readonly CaseResult[];
  /** Whether this cause is only a consequence of another one. */
  readonly isSecondary?: boolean;
}

const MAX_LABELS = 4;

// How much of a text is shown: enough for one that contains lines to paste into a file.
const MAX_TEXT_LENGTH = 500;
const MAX_LINE_LENGTH = 160;
// How much of an operation's name is shown, to leave room for the finding in a terminal line.
const MAX_NAME_LENGTH = 32;

// For these checks, the request that was sent indicates the cause.
const STATUS_CHECKS: ReadonlySet<CheckName> = new Set([
  ...(['server-error', 'valid-refused', 'invalid-accepted', 'malformed-accepted', 'refusal-status'] as const),
]);

// From most to least serious: crashes, server errors, checks at level `contract`, checks that only `robust` adds.
const SEVERITY: readonly string[] = ['server-alive', 'server-error', ...LEVELS];

interface CaseFinding extends Finding {
  readonly result: CaseResult;
}

/**
 * Groups findings by check and text, wrong statuses by operation and tested rule, and server errors by operation and
 * reply. The most serious causes come first, and among these the most frequent. Consequences of other causes come last.
 *
 * @example console.log(groupByCause(results).map((cause) => describeCause(cause)).join('\n'))
 */
export function groupByCause(results: readonly CaseResult[]): Cause[] {
  const allFindings = results.flatMap((result) => result.findings.map((finding) => ({ ...finding, result })));
  const crashResults = new Set(allFindings.filter(({ check }) => check === 'server-alive').map(({ result }) => result));
  const groupNameOf = (finding: CaseFinding): 'down' | 'primary' => {
    const isUnanswered = finding.check === 'no-response' || finding.check === 'connection-closed';
    // If the server was down, the missing reply is only a consequence of that.
    return isUnanswered && (crashResults.has(finding.result) || (crashResults.size > 0 && isRefused(finding)))
      ? 'down'
      : 'primary';
  };
  const groups = Map.groupBy(allFindings, groupNameOf);
  const rank = ({ check }: Cause): number => SEVERITY.indexOf(SEVERITY.includes(check) ? check : CHECKS[check].level);
  const causes = [...Map.groupBy(groups.get('primary') ?? [], keyOf).values()]
    .flatMap((findings) => (findings[0] ? [toCause(findings[0], toText(findings), findings)] : []))
    .toSorted((left, right) => rank(left) - rank(right) || right.results.length - left.results.length);
  const downFindings = (groups.get('down') ?? []).filter(({ result }) => !crashResults.has(result));
  const [first] = downFindings;
  const others = first ? [{ ...toCause(first, 'the server was already down', downFindings), isSecondary: true }] : [];
  return [...causes, ...others];
}

// Removes numbers, such as indexes and ids, because they differ between cases.
function keyOf({ check, text, result: { case: testCase, replies } }: CaseFinding): string {
  const { operation, class: caseClass, keyword, pointer } = testCase;
  const withoutNumbers = (line: string): string => line.replaceAll(/[\da-f-]*\d[\da-f-]*/g, '0');
  if (check === 'server-error') {
    // Many servers answer every failure with the same text, so equal texts in two operations do not imply one cause.
    const body = replies.find(({ status }) => status >= 500)?.body.toString('latin1', 0, MAX_KEY_LENGTH) ?? '';
    return [check, operation, text, withoutNumbers(body)].join('\n');
  }
  if (!STATUS_CHECKS.has(check)) return `${check}\n${withoutNumbers(text)}`;
  const place = keyword === undefined ? (caseClass === 'control' ? text : caseClass) : pointer;
  return [check, operation, place].join('\n');
}

// How many bytes of a reply are enough to distinguish failures.
const MAX_KEY_LENGTH = 200;

/** Adds the labels of the cases, or the number of other texts, to the first text. */
function toText(findings: readonly CaseFinding[]): string {
  const [first] = findings;
  if (!first) return '';
  if (!STATUS_CHECKS.has(first.check)) {
    const otherCount = new Set(findings.map(({ text }) => text)).size - 1;
    return otherCount > 0 ? `${first.text}; and ${String(otherCount)} more like this` : first.text;
  }
  const labelOf = ({ result }: CaseFinding): string => result.case.label;
  if (first.result.case.class === 'control') return first.text;
  // Show only the labels of cases with the same actual and expected status as the first.
  const labels = [...new Set(findings.filter(({ text }) => text === first.text).map(labelOf))];
  const shownLabels = labels.slice(0, MAX_LABELS);
  const hiddenLabelCount = new Set(findings.map(labelOf)).size - shownLabels.length;
  return `${first.text}: ${shownLabels.join('; ')}${hiddenLabelCount > 0 ? `; and ${String(hiddenLabelCount)} more` : ''}`;
}

function isRefused({ text }: Finding): boolean {
  return text.includes('ECONNREFUSED');
}

function toCause({ check, pointer }: Finding, text: string, findings: readonly CaseFinding[]): Cause {
  const results = [...new Set(findings.map(({ result }) => result))];
  const cause = { check, source: CHECKS[check].source, text, pointer, results };
  if (check !== 'server-alive' || results.length === 1 || text.includes('alone')) return cause;
  // A case without a reply is more likely to have stopped the server, so it comes first.
  const answerRank = ({ replies }: CaseResult): number => Math.min(replies.length, 1);
  return {
    ...cause,
    text: `${text}: at least one of these cases ended it`,
    results: results.toSorted((left, right) => answerRank(left) - answerRank(right)),
  };
}

/**
 * Describes a cause in one line: the number of cases, the operations, the finding, and the check with its source.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause({ check, source, text, results }: Cause, secrets: Secrets = {}): string {
  const [first = '', ...others] = operationsOf(results);
  const more = others.length > 0 ? ` and ${String(others.length)} more` : '';
  const count = String(results.length).padStart(5);
  const name = toSafeLine(first, secrets, MAX_NAME_LENGTH);
  return `${count} x  ${name}${more}: ${toSafeLine(text, secrets, MAX_LINE_LENGTH)} [${check}; ${source}]`;
}

function operationsOf(results: readonly CaseResult[]): string[] {
  return [...new Set(results.map(({ case: testCase }) => testCase.operation))];
}

/** Whether the example of a cause shows the whole request and reply, only the start of the reply, or nothing. */
export type ExampleDetail = 'whole' | 'start' | 'none';

/** Formats a cause: the finding, the operations, the rule, an example, and a command that sends it again. */
export function formatCause(
  { check, source, text, pointer, results, isSecondary = false }: Cause,
  { target, variables }: { readonly target: Target; readonly variables: Readonly<Record<string, string>> },
  output: Output,
  detail: ExampleDetail,
): string {
  const operations = operationsOf(results);
  const shownOperations = operations.slice(0, MAX_LABELS).join(', ') + (operations.length > MAX_LABELS ? ', ...' : '');
  const [first] = results;
  const title = first
    ? (first.case.place ?? titleOf({ ...first.case, pointer: describePointer(first.case.pointer) }))
    : '';
  const places = operations.length > 1 ? `${String(operations.length)} operations: ${shownOperations}` : title;
  const declared = pointer === undefined ? '' : `, declared at ${describePointer(pointer)}`;
  const examples = isSecondary || detail === 'none' ? [] : results.slice(0, check === 'server-alive' ? MAX_LABELS : 1);
  const lines = [
    toSafeLine(text, target.secrets, MAX_TEXT_LENGTH),
    toSafeLine(`cases     ${String(results.length)} in ${places}`, target.secrets),
    toSafeLine(`rule      ${check}, ${source}${declared}`, target.secrets),
    ...examples.slice(0, 1).flatMap((each) => describeExchange(each, target, variables, detail === 'whole')),
  ];
  const commands = examples.map(({ case: { request } }) => toCurl(request, target.base, variables));
  return formatFinding({ level: 'error', text: lines.join('\n'), commands }, output);
}

/**
 * Describes the causes of one operation's findings, for a test of that operation. Only the first cause has an example.
 * If a cause began with an earlier operation, refers to that.
 *
 * @param results the results of all operations
 * @param variables the environment variable with the secret of each security scheme
 * @returns undefined if all cases of the operation passed
 * @example const text = describeOperation(results, 'listBooks', target, { bearerAuth: 'TOKEN' });
 */
export function describeOperation(
  results: readonly CaseResult[],
  operation: string,
  target: Target,
  variables: Readonly<Record<string, string>> = {},
): string | undefined {
  const causes = groupByCause(results).filter((cause) => operationsOf(cause.results).includes(operation));
  if (causes.length === 0) return undefined;
  let detail: ExampleDetail = 'whole';
  const lines = causes.map((cause) => {
    const [first] = operationsOf(cause.results);
    if (first !== operation)
      return toSafeLine(`same as ${String(first)}: ${cause.text}`, target.secrets, MAX_TEXT_LENGTH);
    const text = formatCause(cause, { target, variables }, undefined, detail);
    detail = 'none';
    return text;
  });
  return lines.join('\n');
}
