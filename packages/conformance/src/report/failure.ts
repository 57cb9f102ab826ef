// Describes one failed case or journey for people.
import { titleOf } from '../case';
import { CHECKS, type Finding } from '../oracle/checks';
import type { CaseResult, Target } from '../run-case';
import { toCurl } from '../wire/curl';
import { describeReply, describeRequest, toOneLine } from './exchange';
import { toSafeLine } from './shown';

// Of what was sent and what came.
const MAX_MESSAGE = 600;
const MAX_REPLY = 300;

/**
 * What went wrong, what was sent, what came, and a line for bash that sends it again; no secret is in it.
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

/** What is wrong, and who says so. */
function toLine({ check, text, pointer }: Finding): string {
  return `${text} (${[CHECKS[check].source, ...(pointer === undefined ? [] : [pointer])].join(', ')})`;
}

/**
 * The requests of a journey as lines for bash, in their order, with what came of each, and what is wrong in the end. The
 * ids in them are those of the run.
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
