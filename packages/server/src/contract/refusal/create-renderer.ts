// Chooses how the refusals of a contract are rendered.
import { ContractError } from '../document/mistake';
import type { BodyMedia, DeclaredReply } from '../operation/bodies-and-replies';
import { findReply, isOfErrors } from '../operation/find-reply';
import type { Contract } from '../operation/load-contract';
import { JSON_TYPE } from '../operation/media-type';
import { listScopes } from '../operation/list-scopes';
import type { Operation } from '../operation/operation';
import { createCatalogueRenderer, type Catalogue } from './catalogue-renderer';
import { isProblem, PROBLEM_TYPE, toProblem } from './problem-details';
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
 * Renders each refusal with the media type and the body that the operation declares for its status: made by the team's
 * `renderError` if there is one, or else as problem details (RFC 9457) or an error of the catalogue, whichever
 * the contract declares. Without a declaration it is what the service answers elsewhere, problem details at last.
 *
 * @throws ContractError when the catalogue lacks a row or comes with `statuses`, or `renderError` fails
 * @example const render = createRenderer({ contract, errors, renderError: ({ status, message }) => ({ code: status, message }) })
 */
export function createRenderer({ contract, errors = {}, renderError, statuses = {} }: RendererParts): Render {
  const catalogue = Object.keys(errors).length > 0 ? createCatalogueRenderer(errors) : undefined;
  if (catalogue && Object.keys(statuses).length > 0) {
    throw new ContractError('no statuses can be chosen where the contract has an error catalogue: its rows have them');
  }
  if (catalogue && !Object.hasOwn(errors, 'FORBIDDEN') && listScopes(contract.operations).length > 0) {
    throw new ContractError('the error catalogue lacks FORBIDDEN, which operations with scopes answer with');
  }
  const usualType = findErrorType(contract.operations);

  const render: Render = (refusal, operation) => {
    const row = catalogue?.(refusal, operation);
    const status = row?.status ?? toStatus(refusal.kind, operation, statuses);
    const declared = operation && findReply(operation, status);
    const media = declared && chooseMedia(declared);
    if (declared?.media.size === 0) return { status, type: undefined, body: undefined };
    if (renderError) {
      const { type = usualType } = media ?? {};
      const error = { kind: refusal.kind, status, operation: operation?.id, contentType: type };
      return { status, type, body: renderMessage(renderError, error, refusal) };
    }
    const problem = [...(declared?.media.values() ?? [])].find(isProblem);
    // The contract may spell it with a charset.
    if (row && !problem) return { ...row, type: media?.kind === 'json' ? media.type : row.type };
    const body = toProblem(status, refusal.message, problem?.shape.properties.get('body'));
    return { status, type: problem?.type ?? PROBLEM_TYPE, body };
  };
  if (renderError) assertRenders(render, contract.operations);
  return render;
}

/** The body that `renderError` makes, where a reply is declared with several: the first of JSON, if there is one. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const all = [...media.values()];
  return all.find(({ kind }) => kind === 'json') ?? all[0];
}

// The message of a refusal with a detail has words of the client's, which a browser might run. Without details
// all refusals were tried at the start.
function renderMessage(
  renderError: AnyRenderError,
  error: Omit<ErrorToRender, 'message' | 'faults'>,
  { kind, message, detail, faults }: Refusal,
): unknown {
  const bare = { ...error, message: REFUSALS[kind].meaning, faults: [] };
  const isSafe = /json$|^text\/plain$/.test(error.contentType);
  if (detail === undefined || !isSafe) return renderError(bare);
  try {
    return renderError({ ...error, message, faults });
  } catch {
    return renderError(bare);
  }
}

function assertRenders(render: Render, operations: readonly Operation[]): void {
  for (const operation of [undefined, ...operations]) {
    for (const kind of Object.keys(REFUSALS) as RefusalKind[]) {
      const place = `for ${kind} of ${operation?.id ?? 'no operation'}`;
      try {
        const { type, body } = render(new Refusal(kind), operation);
        if (type !== undefined && body === undefined) throw new Error('it returned undefined');
      } catch (cause) {
        throw new ContractError(`renderError fails ${place}: ${String(cause)}`, { cause });
      }
    }
  }
}

function findErrorType(operations: readonly Operation[]): string {
  const replies = operations.flatMap((one) => [...one.replies]).filter(([key]) => isOfErrors(key));
  const media = replies.flatMap(([, reply]) => [...reply.media.values()]);
  return media.find(({ kind }) => kind === 'json')?.type ?? JSON_TYPE;
}
