// Groups findings by cause.
import { titleOf } from '../generators/case';
import { LEVELS } from '../contract/standards';
import { type CaseResult, CHECKS, type CheckName, type Finding } from '../oracle/checks';
import type { Secrets } from '../wire/secret';
import type { Target } from '../exchange/exchange';
import { describePointer } from '../contract/pointer';
import { formatFinding, type Output } from '../terminal';
import { toCurl } from '../wire/curl';
import { describeExchange, toSafeLine } from './failure';

/** One reason why cases failed: findings of the same check, about the same part of the contract, or with the same text. */
export interface Cause {
  readonly check: CheckName;
  /** The standard behind it. */
  readonly source: string;
  readonly text: string;
  /** The JSON pointer of the declared reply; undefined when the contract is not the source of the check. */
  readonly pointer: string | undefined;
  /** In the order of the run. */
  readonly results: readonly CaseResult[];
  /** Whether it follows from another cause. */
  readonly isSecondary?: boolean;
}

const MAX_LABELS = 4;

// A text may have what to paste into a file.
const MAX_TEXT = 500;
const MAX_LINE = 160;
// Of a name, so that a line of a terminal has room for what is wrong.
const MAX_NAME = 32;

// Of a wrong status, what was sent tells the cause.
const ABOUT_STATUS: ReadonlySet<CheckName> = new Set([
  ...(['server-error', 'valid-refused', 'invalid-accepted', 'malformed-accepted', 'refusal-status'] as const),
]);

// What ends or breaks a server comes first, and the rules of each contract before those that only robust adds.
const ORDER: readonly string[] = ['server-alive', 'server-error', ...LEVELS];

interface Found extends Finding {
  readonly result: CaseResult;
}

/**
 * Groups the findings of a check with the same text, those of a wrong status by operation and tested rule, and failures of
 * the server by operation and reply. What is most serious comes first, then the most frequent causes; last comes what
 * follows from another cause, without an example.
 *
 * @example console.log(groupByCause(results).map((cause) => describeCause(cause)).join('\n'))
 */
export function groupByCause(results: readonly CaseResult[]): Cause[] {
  const found = results.flatMap((result) => result.findings.map((finding) => ({ ...finding, result })));
  const down = new Set(found.filter(({ check }) => check === 'server-alive').map(({ result }) => result));
  const groupOf = (each: Found): 'down' | 'primary' => {
    const isUnanswered = each.check === 'no-response' || each.check === 'connection-closed';
    // Without a reply because the server went down.
    return isUnanswered && (down.has(each.result) || (down.size > 0 && isRefused(each))) ? 'down' : 'primary';
  };
  const groups = Map.groupBy(found, groupOf);
  const rank = ({ check }: Cause): number => ORDER.indexOf(ORDER.includes(check) ? check : CHECKS[check].level);
  const causes = [...Map.groupBy(groups.get('primary') ?? [], keyOf).values()]
    .flatMap((findings) => (findings[0] ? [toCause(findings[0], toText(findings), findings)] : []))
    .toSorted((one, other) => rank(one) - rank(other) || other.results.length - one.results.length);
  const unanswered = (groups.get('down') ?? []).filter(({ result }) => !down.has(result));
  const [first] = unanswered;
  const others = first ? [{ ...toCause(first, 'the server was already down', unanswered), isSecondary: true }] : [];
  return [...causes, ...others];
}

// Numbers in texts, such as an index or an id, differ from case to case.
function keyOf({ check, text, result: { case: testCase, replies } }: Found): string {
  const { operation, class: caseClass, keyword, pointer } = testCase;
  const withoutNumbers = (of: string): string => of.replaceAll(/[\da-f-]*\d[\da-f-]*/g, '0');
  if (check === 'server-error') {
    // Many servers say the same of every failure, so that two operations most likely have two.
    const body = replies.find(({ status }) => status >= 500)?.body.toString('latin1', 0, MAX_KEY) ?? '';
    return [check, operation, text, withoutNumbers(body)].join('\n');
  }
  if (!ABOUT_STATUS.has(check)) return `${check}\n${withoutNumbers(text)}`;
  const place = keyword === undefined ? (caseClass === 'control' ? text : caseClass) : pointer;
  return [check, operation, place].join('\n');
}

// As much of a reply as tells one failure from another.
const MAX_KEY = 200;

/** The text of the first finding, with what was sent, or how many other texts there are. */
function toText(findings: readonly Found[]): string {
  const [first] = findings;
  if (!first) return '';
  if (!ABOUT_STATUS.has(first.check)) {
    const otherCount = new Set(findings.map(({ text }) => text)).size - 1;
    return otherCount > 0 ? `${first.text}; and ${String(otherCount)} more like this` : first.text;
  }
  const labelOf = ({ result }: Found): string => result.case.label;
  // What got another status, or should get another, is not among the labels of this one.
  if (first.result.case.class === 'control') return first.text;
  const labels = [...new Set(findings.filter(({ text }) => text === first.text).map(labelOf))];
  const shown = labels.slice(0, MAX_LABELS);
  const rest = new Set(findings.map(labelOf)).size - shown.length;
  return `${first.text}: ${shown.join('; ')}${rest > 0 ? `; and ${String(rest)} more` : ''}`;
}

function isRefused({ text }: Finding): boolean {
  return text.includes('ECONNREFUSED');
}

function toCause({ check, pointer }: Finding, text: string, findings: readonly Found[]): Cause {
  const results = [...new Set(findings.map(({ result }) => result))];
  const cause = { check, source: CHECKS[check].source, text, pointer, results };
  if (check !== 'server-alive' || results.length === 1 || text.includes('alone')) return cause;
  // A case without a reply more likely ended the server than one that was answered.
  const isAnswered = ({ replies }: CaseResult): number => Math.min(replies.length, 1);
  return {
    ...cause,
    text: `${text}: at least one of these cases ended it`,
    results: results.toSorted((one, other) => isAnswered(one) - isAnswered(other)),
  };
}

/**
 * Describes a cause in one line: the number of cases, where, the finding, and the check with its source.
 *
 * @example console.log(describeCause(cause))
 */
export function describeCause({ check, source, text, results }: Cause, secrets: Secrets = {}): string {
  const [first = '', ...others] = operationsOf(results);
  const more = others.length > 0 ? ` and ${String(others.length)} more` : '';
  const count = String(results.length).padStart(5);
  const name = toSafeLine(first, secrets, MAX_NAME);
  return `${count} x  ${name}${more}: ${toSafeLine(text, secrets, MAX_LINE)} [${check}; ${source}]`;
}

function operationsOf(results: readonly CaseResult[]): string[] {
  return [...new Set(results.map(({ case: testCase }) => testCase.operation))];
}

/** A case of a cause is shown with its whole request and reply, with the start of the reply, or not at all. */
export type Extent = 'whole' | 'start' | 'none';

/** Formats a cause: what is wrong, where, by which rule, and a case as it was answered and can be sent again. */
export function formatCause(
  { check, source, text, pointer, results, isSecondary = false }: Cause,
  { target, variables }: { readonly target: Target; readonly variables: Readonly<Record<string, string>> },
  output: Output,
  extent: Extent,
): string {
  const operations = operationsOf(results);
  const shown = operations.slice(0, MAX_LABELS).join(', ') + (operations.length > MAX_LABELS ? ', ...' : '');
  const [first] = results;
  const title = first
    ? (first.case.place ?? titleOf({ ...first.case, pointer: describePointer(first.case.pointer) }))
    : '';
  const places = operations.length > 1 ? `${String(operations.length)} operations: ${shown}` : title;
  const declared = pointer === undefined ? '' : `, declared at ${describePointer(pointer)}`;
  const examples = isSecondary || extent === 'none' ? [] : results.slice(0, check === 'server-alive' ? MAX_LABELS : 1);
  const lines = [
    toSafeLine(text, target.secrets, MAX_TEXT),
    toSafeLine(`cases     ${String(results.length)} in ${places}`, target.secrets),
    toSafeLine(`rule      ${check}, ${source}${declared}`, target.secrets),
    ...examples.slice(0, 1).flatMap((each) => describeExchange(each, target, variables, extent === 'whole')),
  ];
  const commands = examples.map(({ case: { request } }) => toCurl(request, target.base, variables));
  return formatFinding({ level: 'error', text: lines.join('\n'), commands }, output);
}

/**
 * Describes the findings of one operation, for a test of its own: each cause, and the first case with a curl command. A
 * cause that an earlier operation has too is only named, with that operation.
 *
 * @param results of all operations
 * @param variables the environment variable with the secret of each security scheme
 * @returns undefined when all cases passed
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
  let extent: Extent = 'whole';
  const lines = causes.map((cause) => {
    const [first] = operationsOf(cause.results);
    if (first !== operation) return toSafeLine(`same as ${String(first)}: ${cause.text}`, target.secrets, MAX_TEXT);
    const text = formatCause(cause, { target, variables }, undefined, extent);
    extent = 'none';
    return text;
  });
  return lines.join('\n');
}
