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
import { createValidators, type Validators } from './validators';

// Sample values of headers that the kit adds to its refusals. A sample is checked if the contract declares the header.
const SAMPLE_HEADERS: Readonly<Record<string, unknown>> = {
  'www-authenticate': 'Bearer realm=""',
  'retry-after': 1,
  'x-content-type-options': 'nosniff',
};

type Checks = Pick<Validators, 'checkReply'>;

/**
 * Renders a refusal so that it matches the reply that is declared for its status. If its details break the schema, for example by
 * exceeding a maxLength, keeps only the first invalid field, or no details. `proveBuiltInReplies` has checked it without details.
 *
 * @throws Error if an error thrown by a handler has an undeclared status, or does not match the declared body
 */
export function renderDeclared(
  refusal: Refusal,
  operation: Operation,
  checks: Checks,
  render: Render,
): RenderedRefusal {
  const rendered = render(refusal, operation);
  const { status, headers: errorHeaders } = rendered;
  const declared = findReply(operation, status);
  const isThrown = refusal.status !== undefined;
  if (!declared && isThrown) throw new Error(`${operation.id} does not declare it`);
  if (!declared || (refusal.detail === undefined && !errorHeaders && !isThrown && rendered.hasRequestId !== true))
    return rendered;
  try {
    const { headers, body } = checks.checkReply(toReply(rendered, declared));
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : undefined;
    const sentHeaders = headers.filter(([name]) => Object.hasOwn(errorHeaders ?? {}, name));
    return { ...rendered, checked: { headers: sentHeaders, bytes } };
  } catch (cause) {
    if (refusal.detail === undefined) throw rendered.hasRequestId === true ? new RenderFailure(status, cause) : cause;
    const { kind, faults, status: thrownStatus, cause: reason } = refusal;
    const statusAndCause = { status: thrownStatus, cause: reason };
    const shorterRefusal =
      faults.length > 1 ? toFaultRefusal(faults.slice(0, 1)) : new Refusal(kind, undefined, statusAndCause);
    return renderDeclared(shorterRefusal, operation, checks, render);
  }
}

/**
 * Proves at start-up that each of the kit's refusals matches the reply that the contract declares for its status, if any.
 *
 * @throws ContractError that lists the replies that do not match, and how to fix them
 */
export function proveBuiltInReplies(
  { document }: Pick<Contract, 'document'>,
  checksByOperation: ReadonlyMap<Operation, Checks>,
  render: Render,
): void {
  const byProblem = [...Map.groupBy(findMismatches(checksByOperation, render), ({ problem }) => problem)];
  const lines = byProblem.map(([problem, mismatches]) => formatMismatches(document, problem, mismatches));
  if (lines.length > 0) throw new ContractError(lines.join('\n'));
}

/**
 * Creates a function that finds the kit's refusals that do not match the reply declared for their status.
 *
 * @example createMismatchFinder(contract)(createRenderer({ contract })) // []: the contract needs no renderError
 */
export function createMismatchFinder(
  contract: Pick<Contract, 'document' | 'operations'>,
): (render: Render) => Mismatch[] {
  const checks = createValidators(contract, undefined, {}, { isWatched: () => true });
  return (render) => findMismatches(checks, render);
}

/** A refusal that does not match the reply declared for its status. */
export interface Mismatch {
  /** For example, `as application/json: /response/body must have required property 'code'`. */
  readonly problem: string;
  readonly operation: Operation;
  readonly status: number;
  readonly declared: DeclaredReply;
}

function findMismatches(checksByOperation: ReadonlyMap<Operation, Checks>, render: Render): Mismatch[] {
  return [...checksByOperation].flatMap(([operation, checks]) =>
    renderBuiltInReplies(operation, render).flatMap((rendered): Mismatch[] => {
      const { status, unwritten } = rendered;
      const declared = findReply(operation, status);
      // Refusals that still have placeholders are not checked. They are listed at start-up.
      const problem = declared && unwritten.length === 0 ? describeMismatch(rendered, declared, checks) : undefined;
      return declared && problem !== undefined ? [{ problem, operation, status, declared }] : [];
    }),
  );
}

function formatMismatches(document: object, problem: string, mismatches: readonly Mismatch[]): string {
  // Operations can share a declared reply, and a reply can be declared for several statuses.
  const replies = new Set(mismatches.map(({ declared }) => declared.object));
  const statuses = new Set(mismatches.map(({ status }) => status));
  const [firstReply] = [...replies] as [object];
  const otherRepliesText = replies.size > 1 ? ` and ${String(replies.size - 1)} more` : '';
  const pointer = createToPointer([document])({ node: firstReply, key: undefined });
  const isAboutHeaders = problem.includes('/response/headers');
  const fix = `have ${isAboutHeaders ? 'errorHeaders' : 'renderError'} return what the contract declares`;
  return `${pointer}${otherRepliesText} the kit answers with ${[...statuses].sort().join(', ')} here, ${problem}: ${fix}`;
}

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

// Adds samples of the headers that a refusal gets only when it is sent, if the reply declares them.
function toReply({ status, type, body, headers }: RenderedRefusal, declared: DeclaredReply): UntypedReply {
  const samples = declared.headers.flatMap(({ name }) => {
    const sample = SAMPLE_HEADERS[name.toLowerCase()];
    return sample === undefined ? [] : [[name, sample] as const];
  });
  const all = { ...Object.fromEntries(samples), ...headers, ...(type !== undefined && { 'Content-Type': type }) };
  return { status, body, headers: all };
}
