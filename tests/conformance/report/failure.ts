import { titleOf } from '../case';
import type { CaseResult, Target } from '../run-case';
import { toCurl } from '../wire/curl';
import type { Secrets } from '../wire/request';

const MAX_REPLY = 300;

/** What went wrong, what came, and a line for a shell that sends it again; no secret is in it. */
export function describeFailure(
  { case: one, replies, failures }: CaseResult,
  { base, secrets }: Target,
  variables: Readonly<Record<string, string>>,
): string {
  const seen = replies
    .slice(0, 1)
    .map(({ status, body }) => `the reply: ${String(status)} ${body.toString('utf8').slice(0, MAX_REPLY)}`);
  const lines = [titleOf(one), ...failures, ...seen, toCurl(one.request, base, variables)];
  return redact(lines.map((line, index) => (index === 0 ? line : `  ${line}`)).join('\n'), secrets);
}

export function redact(text: string, secrets: Secrets): string {
  return Object.values(secrets).reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
