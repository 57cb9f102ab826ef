// Before any case is sent, checks that the server, the path and the credentials are right.
import { toSafeText } from '../terminal';
import { findReply, hasPathParameter, isPublic, isSafeMethod, type Operation } from '../contract/model';
import { UNKNOWN_PATH_REQUEST, isLimited, exchange, sendCase, type Target } from '../exchange/exchange';
import type { Suite } from '../suite';
import type { Case, CaseKind } from '../generators/case';
import { essenceOf } from '../wire/media-type';
import { valuesOf, type WireReply } from '../wire/reply';
import { validRequest } from '../generators/valid-request';
import type { Values } from '../values/variant';

/** A generated service sends this header if a handler is not written yet. */
const NOT_BUILT_HEADER = 'x-contract-kit-not-built';

const MAX_PROBES = 20;

/**
 * Sends as few valid requests as needed to see whether the server can be checked.
 *
 * @param variables the environment variable with the secret of each security scheme
 * @returns why the server cannot be checked, or undefined if that is not certain
 */
export async function probeServer(
  suite: Suite,
  target: Target,
  variables: ReadonlyMap<string, string>,
  isWanted: (kind: CaseKind) => boolean,
): Promise<string | undefined> {
  const probes = chooseProbes(suite, isWanted);
  const connectionProblem = await findConnectionProblem(target, probes[0]);
  if (connectionProblem !== undefined) return connectionProblem;
  const probeReplies: ProbeReply[] = [];
  for (const probe of probes) {
    if (probeReplies.length === MAX_PROBES || isAlreadyProven(probeReplies, probe.operation)) continue;
    const outcome = await exchange(target, probe.validCase);
    // If there is no well-formed reply, start the run anyway, because the cases give a better report.
    if (!('reply' in outcome)) return undefined;
    const { reply } = outcome;
    if (isLimited(target, [reply]))
      return `${target.base.href} keeps answering 429 to valid requests: raise its rate limit, or try again later`;
    probeReplies.push({ ...probe, reply });
  }
  return findRefusal(probeReplies, variables) ?? findWrongPath(target, probeReplies);
}

// Probes safe methods first, and among these, operations without path parameters.
function chooseProbes({ model, values }: Suite, isWanted: (kind: CaseKind) => boolean): Probe[] {
  const rank = (operation: Operation): number =>
    (isSafeMethod(operation) ? 0 : 2) + (hasPathParameter(operation) ? 1 : 0);
  return model.operations
    .filter((operation) => isSafeMethod(operation) || isWanted({ operation, class: 'positive', expect: 'accepted' }))
    .toSorted((left, right) => rank(left) - rank(right))
    .flatMap((operation) => toProbe(values, operation));
}

function toProbe(values: Values, operation: Operation): Probe[] {
  const request = validRequest(values, operation);
  const { id, pointer } = operation;
  const validCase: Case = { operation: id, class: 'positive', pointer, label: 'valid', request, expect: 'accepted' };
  return request.skipReason ? [] : [{ operation, validCase }];
}

// Whether earlier replies show that the base path and the credentials for the operation's schemes are right.
function isAlreadyProven(probeReplies: readonly ProbeReply[], operation: Operation): boolean {
  const isPathRight = !probeReplies.every(isFromOtherApplication);
  const sameSchemes = probeReplies.filter((probeReply) => schemesOf(probeReply.operation) === schemesOf(operation));
  return isPathRight && (isPublic(operation) || sameSchemes.some(({ reply }) => !isRefusal(reply)));
}

/** Returns undefined if an HTTP server replies to an unknown path or to the probe. */
async function findConnectionProblem(target: Target, probe: Probe | undefined): Promise<string | undefined> {
  const requests = [{ request: UNKNOWN_PATH_REQUEST }, ...(probe ? [probe.validCase] : [])];
  const failures = await Promise.all(requests.map((sent) => findFailure(target, sent)));
  const allFailed = failures.every((failure) => failure !== undefined);
  return allFailed ? `No HTTP server answers at ${target.base.href}: ${String(failures[0])}` : undefined;
}

async function findFailure(target: Target, sent: Pick<Case, 'request'>): Promise<string | undefined> {
  try {
    const bytes = await sendCase(target, sent);
    const start = bytes.subarray(0, 40).toString('latin1');
    if (start.startsWith('HTTP/')) return undefined;
    return start === ''
      ? 'it closes the connection without a response'
      : `it answers ${JSON.stringify(start)}, which is not HTTP`;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

function findRefusal(probeReplies: readonly ProbeReply[], variables: ReadonlyMap<string, string>): string | undefined {
  const securedReplies = probeReplies.filter(({ operation }) => !isPublic(operation));
  for (const [schemes, group] of Map.groupBy(securedReplies, ({ operation }) => schemesOf(operation))) {
    // Only a 401 is certain, because a 403 can mean that valid credentials lack a permission.
    const isSure = group.some(({ reply }) => reply.status === 401);
    if (!isSure || !group.every(({ reply }) => isRefusal(reply))) continue;
    const usedSchemes = group[0]?.operation.securityRequirements[0] ?? [];
    const names = [...new Set(usedSchemes.map(({ name }) => variables.get(name) ?? name))].join(' and ');
    const schemeNames = new Set(
      group.flatMap(({ operation }) => operation.securityRequirements.flat().map(({ name }) => name)),
    );
    const hint =
      schemeNames.size > 1
        ? ' For each scheme: --token-env SCHEME=NAME; of schemes that are alternatives, one is enough.'
        : '';
    return `The server refuses the credentials of ${schemes} in ${countOperations(group)}. Check the value of ${names}.${hint}`;
  }
  return undefined;
}

/**
 * Reports a wrong path only if a guessed id or a declared reply cannot explain the 404. A different application can
 * also answer with redirects or HTML pages.
 */
function findWrongPath({ base }: Target, probeReplies: readonly ProbeReply[]): string | undefined {
  const isSure = probeReplies.some(({ operation }) => !hasPathParameter(operation) && !isDeclared(operation, 404));
  if (!isSure || !probeReplies.every(isFromOtherApplication)) return undefined;
  const replies = [...new Set(probeReplies.map(({ reply: { status } }) => (status < 300 ? 'HTML' : String(status))))];
  const requests = `valid requests of ${countOperations(probeReplies)} under ${base.pathname}`;
  return `The server answers ${replies.join(' or ')} to ${requests}. Check the path in --url: that of a server in the contract precedes every path.`;
}

/** Whether another application may have sent the reply: a 404, or an undeclared redirect or HTML page. */
function isFromOtherApplication({ operation, reply }: ProbeReply): boolean {
  const { status } = reply;
  if (status >= 300) return status === 404 || (status < 400 && !isDeclared(operation, status));
  const declared = findReply(operation, status)?.contents ?? [];
  return (
    valuesOf(reply, 'content-type').some((type) => essenceOf(type) === HTML) &&
    !declared.some(({ mediaType }) => essenceOf(mediaType) === HTML)
  );
}

const HTML = 'text/html';

/** Ignores `default`, which does not name any status. */
function isDeclared({ replies }: Operation, status: number): boolean {
  return replies.has(String(status)) || replies.has(`${String(status)[0] ?? ''}XX`);
}

interface Probe {
  readonly operation: Operation;
  readonly validCase: Case;
}

interface ProbeReply extends Probe {
  readonly reply: WireReply;
}

function isRefusal({ status }: WireReply): boolean {
  return status === 401 || status === 403;
}

/** Returns the schemes that valid requests use, such as `oauth and apiKey`. */
function schemesOf({ securityRequirements: [schemes = []] }: Operation): string {
  return schemes.map(({ name }) => name).join(' and ');
}

function countOperations(probeReplies: readonly ProbeReply[]): string {
  return probeReplies.length === 1 ? '1 operation' : `${String(probeReplies.length)} operations`;
}

/**
 * Sends valid requests, and returns the ids of operations that a generated service marks as not built.
 *
 * @example const target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
 */
export async function findUnbuilt(
  { model, values }: Pick<Suite, 'model' | 'values'>,
  target: Target,
): Promise<ReadonlySet<string>> {
  const unbuilt = new Set<string>();
  for (const { operation, validCase } of model.operations.flatMap((operation) => toProbe(values, operation))) {
    const outcome = await exchange(target, validCase);
    const isMarked = 'reply' in outcome && valuesOf(outcome.reply, NOT_BUILT_HEADER).length > 0;
    if (isMarked) unbuilt.add(operation.id);
  }
  return unbuilt;
}

/**
 * Describes the operations without a handler in one line. Returns an empty string if there are none.
 *
 * @example console.log(describeUnbuilt(suite, new Set(['listBooks'])))
 */
export function describeUnbuilt(
  { model, cases }: Pick<Suite, 'model' | 'cases'>,
  unbuilt: ReadonlySet<string>,
): string {
  if (unbuilt.size === 0) return '';
  const validCases = cases.filter((testCase) => unbuilt.has(testCase.operation) && testCase.expect === 'accepted');
  const counts = `${String(unbuilt.size)} of ${String(model.operations.length)} operations have no handler yet`;
  return `${counts}, so the server should answer 501 or 503 to ${String(validCases.length)} valid requests: ${toSafeText([...unbuilt].join(', '))}`;
}
