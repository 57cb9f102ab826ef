import { titleOf } from '../case';
import { CHECKS, type Finding } from '../oracle/checks';
import type { CaseResult, Target } from '../run-case';
import { toCurl } from '../wire/curl';
import { redact, type Secrets } from '../wire/secret';

const MAX_TEXT = 300;

/**
 * What went wrong, what came, and a line for bash that sends it again; no secret is in it.
 *
 * @example console.log(describeFailure(result, target, { bearerAuth: 'TOKEN' }))
 */
export function describeFailure(
  { case: one, replies, findings }: CaseResult,
  { base, secrets }: Target,
  variables: Readonly<Record<string, string>>,
): string {
  const seen = replies.slice(0, 1).map(({ status, body }) => `the reply: ${String(status)} ${body.toString('utf8')}`);
  const said = [...findings.map(toLine), ...seen].map((text) => `  ${toShown(text, secrets)}`);
  return [titleOf(one), ...said, `  ${toCurl(one.request, base, variables, one.before?.request)}`].join('\n');
}

/** What is wrong, and who says so. */
function toLine({ check, text }: Finding): string {
  return `${text} (${CHECKS[check].source})`;
}

/** One line without secrets, and without signs that steer a terminal or a CI system, for text that a server chose. */
export function toShown(text: string, secrets: Secrets): string {
  // First the secrets: a part of one would not be known any more.
  const line = redact(text, secrets).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}...` : line;
}
