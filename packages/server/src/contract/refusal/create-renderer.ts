// Chooses how the refusals of a contract are rendered.
import { ContractError } from '../document/mistake';
import type { BodyMedia, DeclaredReply } from '../operation/bodies-and-replies';
import { findReply, mayDeclareErrors } from '../operation/find-reply';
import type { Contract } from '../operation/load-contract';
import { JSON_TYPE } from '../operation/media-type';
import { listScopes } from '../operation/list-scopes';
import type { Operation } from '../operation/operation';
import { createCatalogueRenderer, type Catalogue } from './catalogue-renderer';
import { isProblem, PROBLEM_TYPE, toProblem } from './problem-details';
import { assertMade, RenderFailure } from './render-failure';
import { REFUSALS, Refusal, type RefusalKind } from './refusal';
import type { AnyRenderError, ErrorToRender, Render } from './render';
import { toStatus, type Statuses } from './to-status';

/** What the refusals of a contract are made of. */
export interface RendererParts {
  readonly contract: Pick<Contract, 'operations'>;
  /** Its error catalogue; without rows if it has none. It has the statuses of its rows. */
  readonly errors?: Catalogue | undefined;
  /** Makes the body of every refusal, for contracts whose errors are neither of the catalogue nor problem details. */
  readonly renderError?: AnyRenderError | undefined;
  /** The statuses of refusals, where others are meant than follow from the contract; none beside a catalogue. */
  readonly statuses?: Statuses | undefined;
}

/**
 * Creates the renderer of refusals. It uses the media type and the body that the operation declares for the status. The
 * team's `renderError` makes the body if there is one; else it is problem details (RFC 9457) or an error of the catalogue,
 * whichever the contract declares. An undeclared status gets an error of the catalogue, or problem details without one.
 *
 * @throws ContractError when the catalogue lacks a row or comes with `statuses`, or `renderError` fails
 * @example const render = createRenderer({ contract, errors, renderError: ({ status, message }) => ({ code: status, message }) })
 */
export function createRenderer({ contract, errors = {}, renderError, statuses = {} }: RendererParts): Render {
  const renderByCatalogue = Object.keys(errors).length > 0 ? createCatalogueRenderer(errors) : undefined;
  if (renderByCatalogue && Object.keys(statuses).length > 0) {
    throw new ContractError('no statuses can be chosen where the contract has an error catalogue: its rows have them');
  }
  if (renderByCatalogue && !Object.hasOwn(errors, 'FORBIDDEN') && listScopes(contract.operations).length > 0) {
    throw new ContractError('the error catalogue lacks FORBIDDEN, which operations with scopes answer with');
  }
  const defaultType = findErrorType(contract.operations);

  const render: Render = (refusal, operation) => {
    const byCatalogue = renderByCatalogue?.(refusal, operation);
    const status = byCatalogue?.status ?? toStatus(refusal.kind, operation, statuses);
    const declared = operation && findReply(operation, status);
    const media = declared && chooseMedia(declared);
    // The reply is declared without a body.
    if (declared?.media.size === 0) return { status, type: undefined, body: undefined };
    if (renderError) {
      const { type = defaultType } = media ?? {};
      const error = { kind: refusal.kind, status, operation: operation?.id, contentType: type };
      try {
        return { status, type, body: renderBody(renderError, error, refusal) };
      } catch (cause) {
        throw new RenderFailure(status, cause);
      }
    }
    const problem = [...(declared?.media.values() ?? [])].find(isProblem);
    // The type as the contract spells it, perhaps with a charset.
    if (byCatalogue && !problem)
      return { ...byCatalogue, type: media?.kind === 'json' ? media.type : byCatalogue.type };
    // Problem details have only the members that the contract declares.
    const bodyShape = problem?.shape.properties.get('body');
    const body = toProblem(status, refusal.message, bodyShape);
    return { status, type: problem?.type ?? PROBLEM_TYPE, body };
  };
  if (renderError) assertRenders(render, contract.operations);
  return render;
}

/** Chooses the body of a refusal if a reply declares several: the first that is JSON, else the first; undefined for none. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const all = [...media.values()];
  return all.find(({ kind }) => kind === 'json') ?? all[0];
}

// A detail may quote the client, and a browser might run it as HTML: only JSON and plain text have details. If renderError fails
// with them, it is called without: start-up has tried that.
function renderBody(
  renderError: AnyRenderError,
  error: Omit<ErrorToRender, 'message' | 'faults'>,
  { kind, message, detail, faults }: Refusal,
): unknown {
  const withoutDetail = { ...error, message: REFUSALS[kind].meaning, faults: [] };
  const isSafe = /json$|^text\/plain$/.test(error.contentType);
  if (detail === undefined || !isSafe) return callRenderError(renderError, withoutDetail);
  try {
    return callRenderError(renderError, { ...error, message, faults });
  } catch {
    return callRenderError(renderError, withoutDetail);
  }
}

function callRenderError(renderError: AnyRenderError, error: ErrorToRender): unknown {
  const body = renderError(error);
  assertMade(body);
  return body;
}

// At start-up: no refusal of an operation, or of a request without one, may fail or lack a body.
function assertRenders(render: Render, operations: readonly Operation[]): void {
  for (const operation of [undefined, ...operations]) {
    for (const kind of Object.keys(REFUSALS) as RefusalKind[]) {
      const which = `for ${kind} of ${operation?.id ?? 'no operation'}`;
      try {
        render(new Refusal(kind), operation);
      } catch (cause) {
        throw new ContractError(`renderError fails ${which}: ${(cause as Error).message}`, { cause });
      }
    }
  }
}

// The media type of errors that no operation declares: that of the contract's first JSON error.
function findErrorType(operations: readonly Operation[]): string {
  const replies = operations.flatMap((one) => [...one.replies]).filter(([status]) => mayDeclareErrors(status));
  const media = replies.flatMap(([, reply]) => [...reply.media.values()]);
  return media.find(({ kind }) => kind === 'json')?.type ?? JSON_TYPE;
}
