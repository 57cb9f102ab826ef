// Refusals as an operation declares them, tried at start-up.
import {
  ContractError,
  createToPointer,
  findReply,
  type Contract,
  type DeclaredReply,
  type Operation,
} from '@contract-kit/contract';
import { renderBuiltInReplies } from '../errors/built-in-replies';
import { RenderFailure, type Render, type RenderedRefusal } from '../errors/render';
import type { UntypedReply } from '../reply/check-reply';
import { Refusal, toFaultRefusal } from '../errors/refusal';
import { createMessageChecks, type Validators } from './validators';

// Samples of the headers that the kit adds to its own refusals, checked against the contract where it declares them.
const SAMPLE_HEADERS: Readonly<Record<string, unknown>> = {
  'www-authenticate': 'Bearer realm=""',
  'retry-after': 1,
  'x-content-type-options': 'nosniff',
};

type Checks = Pick<Validators, 'checkReply'>;

/**
 * Renders a refusal so that it matches the reply that is declared for its status. If its details break the schema (a maxLength,
 * say), it keeps the first wrong field, or else none. Without details it needs no check: `proveBuiltInReplies` checked it.
 *
 * @throws Error when an error was thrown with a status that the operation does not declare, or whose body does not fit
 */
export function renderDeclared(
  refusal: Refusal,
  operation: Operation,
  checks: Checks,
  render: Render,
): RenderedRefusal {
  const rendered = render(refusal, operation);
  const { status, headers: made } = rendered;
  const declared = findReply(operation, status);
  const isThrown = refusal.status !== undefined;
  if (!declared && isThrown) throw new Error(`${operation.id} does not declare it`);
  if (!declared || (refusal.detail === undefined && !made && !isThrown && rendered.hasRequestId !== true))
    return rendered;
  try {
    const { headers } = checks.checkReply(toReply(rendered, declared));
    // Without the samples.
    return { ...rendered, headerTexts: headers.filter(([name]) => Object.hasOwn(made ?? {}, name)) };
  } catch (cause) {
    if (refusal.detail === undefined) throw rendered.hasRequestId === true ? new RenderFailure(status, cause) : cause;
    const { kind, faults, status: thrown, cause: reason } = refusal;
    const withoutDetail = { status: thrown, cause: reason };
    const shorter =
      faults.length > 1 ? toFaultRefusal(faults.slice(0, 1)) : new Refusal(kind, undefined, withoutDetail);
    return renderDeclared(shorter, operation, checks, render);
  }
}

/**
 * Proves at start-up that each refusal that this server makes by itself matches the reply that the contract declares for its
 * status, if any.
 *
 * @throws ContractError with each reply that does not match, and what to write
 */
export function proveBuiltInReplies(
  { document }: Pick<Contract, 'document'>,
  checksByOperation: ReadonlyMap<Operation, Checks>,
  render: Render,
): void {
  const mismatches = findMismatches(checksByOperation, render);
  if (mismatches.length > 0) throw new ContractError(mismatches.map((one) => toLine(document, one)).join('\n'));
}

/**
 * Whether each refusal that this server makes by itself matches the reply that the contract declares for its status, if any.
 *
 * @example rendersDeclared(contract, createRenderer({ contract })) // true: the contract needs no renderError
 */
export function rendersDeclared(contract: Pick<Contract, 'document' | 'operations'>, render: Render): boolean {
  return findMismatches(createMessageChecks(contract), render).length === 0;
}

/** A mismatch, and where it is: operations share declared replies, and one reply serves refusals of several statuses. */
interface Mismatch {
  /** Such as `as application/json: /response/body must have required property 'code'`. */
  readonly problem: string;
  /** The declared replies, as nodes of the document, in its order. */
  readonly replies: Set<object>;
  readonly statuses: Set<number>;
}

function findMismatches(checksByOperation: ReadonlyMap<Operation, Checks>, render: Render): Mismatch[] {
  const mismatches = new Map<string, Mismatch>();
  for (const [operation, checks] of checksByOperation) {
    for (const rendered of renderBuiltInReplies(operation, render)) {
      // The start lists what is to be written.
      if (rendered.unwritten.length > 0) continue;
      const declared = findReply(operation, rendered.status);
      const problem = declared && describeMismatch(rendered, declared, checks);
      if (!declared || problem === undefined) continue;
      const mismatch = mismatches.get(problem) ?? { problem, replies: new Set(), statuses: new Set() };
      mismatch.replies.add(declared.object);
      mismatch.statuses.add(rendered.status);
      mismatches.set(problem, mismatch);
    }
  }
  return [...mismatches.values()];
}

/**
 * Makes the line about a mismatch: where its first reply is, how many more there are, what is wrong and what to write.
 * `problem` has the validator's message, which names a part of the reply, such as `/response/headers`.
 */
function toLine(document: object, { problem, replies, statuses }: Mismatch): string {
  const [firstReply] = [...replies] as [object];
  const more = replies.size > 1 ? ` and ${String(replies.size - 1)} more` : '';
  const pointer = createToPointer([document])({ node: firstReply, key: undefined });
  const isAboutHeaders = problem.includes('/response/headers');
  const fix = `have ${isAboutHeaders ? 'errorHeaders' : 'renderError'} return what the contract declares`;
  return `${pointer}${more} the kit answers with ${[...statuses].sort().join(', ')} here, ${problem}: ${fix}`;
}

/** Describes why a refusal does not match the reply that is declared for its status; undefined if it does. */
function describeMismatch(
  rendered: RenderedRefusal,
  declared: DeclaredReply,
  { checkReply }: Checks,
): string | undefined {
  try {
    checkReply(toReply(rendered, declared));
    return undefined;
  } catch (cause) {
    const { type } = rendered;
    return `${type === undefined ? 'without a body' : `as ${type}`}: ${(cause as Error).message}`;
  }
}

// With samples of the headers that are added when the refusal is sent, if the reply declares them.
function toReply({ status, type, body, headers }: RenderedRefusal, declared: DeclaredReply): UntypedReply {
  const samples = declared.headers.flatMap(({ name }) => {
    const sample = SAMPLE_HEADERS[name.toLowerCase()];
    return sample === undefined ? [] : [[name, sample] as const];
  });
  const all = { ...Object.fromEntries(samples), ...headers, ...(type !== undefined && { 'Content-Type': type }) };
  return { status, body, headers: all };
}
