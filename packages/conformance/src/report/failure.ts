// Describes one failed case or journey for people.
import { titleOf } from '../case';
import { CHECKS, type Finding } from '../oracle/checks';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import { toCurl } from '../wire/curl';
import { describeReply, describeRequest, toOneLine } from './exchange';
import { toSafeLine } from './shown';

// Lengths in characters.
const MAX_MESSAGE = 600;
const MAX_REPLY = 300;

/**
 * Describes a failed case: the findings, the request, the reply, and a line for bash that sends it again; without
 * secrets.
 *
 * @example console.log(describeFailure(result, target, { bearerAuth: 'TOKEN' }))
 */
export function describeFailure(
  { case: testCase, replies, findings }: CaseResult,
  { base, secrets }: Target,
  variables: Readonly<Record<string, string>>,
): string {
  const [reply] = replies;
  const messages = [
    `sent: ${toOneLine(describeRequest(testCase.request, base, variables))}`,
    `the reply: ${reply ? toOneLine(describeReply(reply)) : 'none that can be read'}`,
  ];
  return [
    toSafeLine(titleOf(testCase), secrets),
    ...findings.map((finding) => `  ${toSafeLine(toLine(finding), secrets)}`),
    ...messages.map((message) => `  ${toSafeLine(message, secrets, MAX_MESSAGE)}`),
    `  ${toCurl(testCase.request, base, variables, testCase.before?.request)}`,
  ].join('\n');
}

/** The finding and its source. */
function toLine({ check, text, pointer }: Finding): string {
  return `${text} (${[CHECKS[check].source, ...(pointer === undefined ? [] : [pointer])].join(', ')})`;
}

/**
 * Describes a journey: its findings, then each request as a line for bash with its reply. The ids are those of the run.
 *
 * @example console.log(describeJourney(trace, target, { bearerAuth: 'TOKEN' }))
 */
export function describeJourney(
  trace: readonly CaseResult[],
  { base, secrets }: Target,
  variables: Readonly<Record<string, string>>,
): string {
  const steps = trace.flatMap(({ case: { label, operation, request }, replies: [reply] }) => [
    `# ${operation}: ${label}`,
    toCurl(request, base, variables),
    `# ${toSafeLine(reply ? toOneLine(describeReply(reply)) : 'no reply', secrets, MAX_REPLY)}`,
  ]);
  const wrong = trace.flatMap(({ findings }) => findings.map((finding) => `# ${toSafeLine(toLine(finding), secrets)}`));
  return [...wrong, ...steps].join('\n');
}
