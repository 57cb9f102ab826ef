// Refusals as an operation declares them, tried at start-up.
import { ContractError, Mistake, pointerOf } from '../document/mistake';
import { findReply } from '../operation/find-reply';
import type { Contract } from '../operation/load-contract';
import type { Operation } from '../operation/operation';
import { renderOwnReplies } from '../refusal/own-replies';
import { Refusal, toFaultRefusal } from '../refusal/refusal';
import type { Render, RenderedRefusal } from '../refusal/render';
import type { Enforcement } from './enforcement';

// Samples of the headers that the kit adds to its own 401 and 503, checked against the contract where it declares them.
const REFUSAL_HEADERS: Readonly<Record<string, unknown>> = { 'www-authenticate': 'Bearer realm=""', 'retry-after': 1 };

type Checks = Pick<Enforcement, 'checkReply'>;

/**
 * Renders a refusal of an operation. If its details break the declared schema (a maxLength, say), it keeps only the first
 * wrong field; if that breaks it too, it drops the details. A refusal without details needs no check: start-up made it.
 */
export function renderDeclared(
  refusal: Refusal,
  operation: Operation,
  checks: Checks,
  render: Render,
): RenderedRefusal {
  const rendered = render(refusal, operation);
  if (refusal.detail === undefined || findProblem(rendered, operation, checks) === undefined) return rendered;
  const { kind, faults } = refusal;
  const shorter = faults.length > 1 ? toFaultRefusal(faults.slice(0, 1)) : new Refusal(kind);
  return renderDeclared(shorter, operation, checks, render);
}

/** The replies and statuses with the same problem. */
interface Places {
  readonly first: object;
  readonly objects: Set<object>;
  readonly statuses: Set<number>;
}

/**
 * Proves at start-up that each refusal of the kit matches the reply that the contract declares for its status, if any.
 *
 * @throws ContractError with each reply that does not match, and what to write
 */
export function proveOwnReplies(
  { document }: Pick<Contract, 'document'>,
  all: ReadonlyMap<Operation, Checks>,
  render: Render,
): void {
  // Operations share replies, and one reply serves several refusals: each problem is told once.
  const problems = new Map<string, Places>();
  for (const [operation, checks] of all) {
    for (const rendered of renderOwnReplies(operation, render)) {
      const problem = findProblem(rendered, operation, checks);
      const declared = findReply(operation, rendered.status);
      if (problem === undefined || !declared) continue;
      const { object } = declared;
      const places = problems.get(problem) ?? { first: object, objects: new Set(), statuses: new Set() };
      places.objects.add(object);
      places.statuses.add(rendered.status);
      problems.set(problem, places);
    }
  }
  if (problems.size === 0) return;
  const lines = [...problems].map(([problem, { first, objects, statuses }]) => {
    const more = objects.size > 1 ? ` and ${String(objects.size - 1)} more` : '';
    const pointer = pointerOf(document, new Mistake(first, problem));
    // renderError makes bodies, not headers.
    const fix = problem.includes('/response/headers')
      ? 'let it not be required'
      : 'let renderError make what is declared';
    return `${pointer}${more} the kit refuses with ${[...statuses].sort().join(', ')} here, ${problem}: ${fix}`;
  });
  throw new ContractError(lines.join('\n'));
}

/** Describes why a refusal does not match the declared reply; undefined if it does, or none is declared. */
function findProblem(rendered: RenderedRefusal, operation: Operation, { checkReply }: Checks): string | undefined {
  const { status, type, body } = rendered;
  const declared = findReply(operation, status);
  if (!declared) return undefined;
  const own = declared.headers.flatMap(({ name }) => {
    const value = REFUSAL_HEADERS[name.toLowerCase()];
    return value === undefined ? [] : [[name, value] as const];
  });
  const headers = { ...Object.fromEntries(own), ...(type !== undefined && { 'Content-Type': type }) };
  try {
    checkReply({ status, body, headers });
    return undefined;
  } catch (cause) {
    return `${type === undefined ? 'without a body' : `as ${type}`}: ${(cause as Error).message}`;
  }
}
