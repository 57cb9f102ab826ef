// Describes one failed case for people.
import { titleOf } from '../case';
import { CHECKS, type Finding } from '../oracle/checks';
import type { CaseResult } from '../run-case';
import type { Target } from '../target';
import { toCurl } from '../wire/curl';
import { describeReply, describeRequest, toOneLine } from './exchange';
import { toSafeLine } from './shown';

// In characters.
const MAX_MESSAGE = 600;

/**
 * Describes a failed case in several lines: its title, the findings, the request, the reply, and a curl command for
 * bash that sends it again, after its `before`. Secrets are replaced by the names of their environment variables.
 *
 * @param variables the environment variable with the secret of each security scheme
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

// Such as `/id is no string (OpenAPI Media Type Object, <JSON pointer of the declared reply>)`.
function toLine({ check, text, pointer }: Finding): string {
  const { source } = CHECKS[check];
  return pointer === undefined ? `${text} (${source})` : `${text} (${source}, ${pointer})`;
}
