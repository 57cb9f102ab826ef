import { titleOf } from '../generators/case';
import { type CaseResult, CHECKS, type Finding } from '../oracle/checks';
import type { Target } from '../exchange/exchange';
import { toCurl } from '../wire/curl';
import { isUtf8 } from 'node:buffer';
import { valuesOf, type WireReply } from '../wire/reply';
import { toFramedBody, toHead, type WireRequest } from '../wire/request';
import { escapeUnprintable, formatFinding } from '../terminal';
import { describePlaceholders, redact, type Secrets } from '../wire/secret';

// Maximum lengths, in characters.
const MAX_MESSAGE_LENGTH = 600;
const MAX_SUMMARY_LENGTH = 200;

/**
 * Describes a failed case in several lines: its title, the findings, the request, the reply, and a curl command that
 * sends the request again. Replaces secrets with the names of their environment variables.
 *
 * @param variables the environment variable with the secret of each security scheme
 * @example console.log(describeFailure(result, target, { bearerAuth: 'TOKEN' }))
 */
export function describeFailure(
  result: CaseResult,
  target: Target,
  variables: Readonly<Record<string, string>>,
): string {
  const findings = [titleOf(result.case), ...result.findings.map(toLine)].map((line) =>
    toSafeLine(line, target.secrets),
  );
  const text = [...findings, ...describeExchange(result, target, variables)].join('\n');
  return formatFinding(
    { level: 'error', text, commands: [toCurl(result.case.request, target.base, variables)] },
    undefined,
  );
}

/** Describes the request and the reply, each in one line, or only the start of the reply if `isWhole` is false. */
export function describeExchange(
  { case: testCase, replies: [reply] }: CaseResult,
  { base, secrets }: Target,
  variables: Readonly<Record<string, string>>,
  isWhole = true,
): string[] {
  const show = isWhole ? describeReply : summarizeReply;
  const response = `response  ${reply ? toOneLine(show(reply)) : 'none, or malformed'}`;
  if (!isWhole) return [toSafeLine(response, secrets, MAX_SUMMARY_LENGTH)];
  const request = `request   ${toOneLine(describeRequest(testCase.request, base, variables))}`;
  return [request, response].map((message) => toSafeLine(message, secrets, MAX_MESSAGE_LENGTH));
}

function summarizeReply(reply: WireReply): string {
  return [String(reply.status), ...valuesOf(reply, 'content-type'), toText(reply.body)].join(' ').trim();
}

function toLine({ check, text, pointer }: Finding): string {
  const { source } = CHECKS[check];
  return pointer === undefined ? `${text} (${source})` : `${text} (${source}, ${pointer})`;
}

function describeRequest(request: WireRequest, base: URL, variables: Readonly<Record<string, string>>): string {
  return `${describePlaceholders(toHead(request, base), variables)}${toText(toFramedBody(request))}`;
}

function describeReply({ status, headers, body }: WireReply): string {
  const head = [`HTTP/1.1 ${String(status)}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${toText(body)}`;
}

// Maximum number of bytes kept of a body: more than a report shows, but few enough to search for secrets fast.
const MAX_BODY_LENGTH = 4 * 1024;

/** Keeps only what a report shows, to save memory. If the case passed, that is only the status. */
export function truncateReplies(result: CaseResult): CaseResult {
  const hasPassed = result.findings.length === 0;
  const toShort = (reply: WireReply): WireReply =>
    hasPassed ? { status: reply.status, headers: [], body: EMPTY_BODY } : truncateReply(reply);
  return { ...result, replies: result.replies.map(toShort) };
}

const EMPTY_BODY = Buffer.alloc(0);

function truncateReply(reply: WireReply): WireReply {
  let end = Math.min(MAX_BODY_LENGTH, reply.body.length);
  // Cut before a UTF-8 character, not inside it: all bytes after its first one begin with the bits 10.
  while (end > MAX_BODY_LENGTH - 3 && (Number(reply.body[end]) & 0xc0) === 0x80) end--;
  // Copy the bytes, because a slice would keep the whole buffer of the socket in memory.
  return { ...reply, body: Buffer.from(new Uint8Array(reply.body.subarray(0, end)).buffer) };
}

// Bytes that are not UTF-8 are shown as Latin-1.
function toText(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').slice(0, MAX_BODY_LENGTH);
}

function toOneLine(text: string): string {
  return text.replaceAll('\r\n', '\\r\\n');
}

/** Redacts secrets, escapes characters that could control a terminal, and truncates the line. */
export function toSafeLine(text: string, secrets: Secrets, maxLength = 300): string {
  // Redact first, because a truncated or escaped secret would not be recognized.
  const line = escapeUnprintable(redact(text, secrets));
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}
