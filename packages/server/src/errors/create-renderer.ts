// Chooses how the refusals of a contract are rendered.
import { ContractError } from '../contract/text/mistake';
import {
  findReply,
  mayDeclareErrors,
  type BodyMedia,
  type DeclaredReply,
  type StatusesOf,
} from '../contract/operation/message';
import type { Contract } from '../contract/operation/load-contract';
import { isRange, JSON_TYPE } from '../contract/operation/media-type';
import { listScopes, type Operation } from '../contract/operation/operation';
import {
  assertReturned,
  RenderFailure,
  type AnyRenderError,
  type ErrorHeaders,
  type ErrorToRender,
  type Render,
  type Todo,
} from './render';
import { REFUSALS, Refusal, type RefusalKind } from './refusal';
import { PROBLEM_TYPE, isProblem, toProblem } from './problem-details';

/** What the refusals of a contract are made of. */
export interface RendererOptions {
  readonly contract: Pick<Contract, 'operations'>;
  /** The contract's error catalogue, whose rows have the statuses; empty if the contract has none. */
  readonly errors?: Catalogue | undefined;
  /** Makes the body of every refusal, for contracts whose errors are neither of the catalogue nor problem details. */
  readonly renderError?: AnyRenderError | undefined;
  /** Makes the headers that the contract declares for errors. */
  readonly errorHeaders?: ErrorHeaders | undefined;
  /** The statuses of refusals that differ from the contract's default; not allowed beside a catalogue. */
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
export function createRenderer({
  contract,
  errors = {},
  renderError,
  errorHeaders,
  statuses = {},
}: RendererOptions): Render {
  const renderByCatalogue = Object.keys(errors).length > 0 ? createCatalogueRenderer(errors) : undefined;
  if (renderByCatalogue && Object.keys(statuses).length > 0) {
    throw new ContractError('no statuses can be chosen where the contract has an error catalogue: its rows have them');
  }
  if (renderByCatalogue && !Object.hasOwn(errors, 'FORBIDDEN') && listScopes(contract.operations).length > 0) {
    throw new ContractError('the error catalogue lacks FORBIDDEN, which operations with scopes answer with');
  }
  const defaultType = findErrorType(contract.operations);

  const renderBodyOf: Render = (refusal, operation) => {
    const renderedByCatalogue = renderByCatalogue?.(refusal, operation);
    const status = renderedByCatalogue?.status ?? toStatus(refusal.kind, operation, statuses);
    const declared = operation && findReply(operation, status);
    const media = declared && chooseMedia(declared);
    // The reply is declared without a body.
    if (declared?.media.size === 0) return { status, type: undefined, body: undefined };
    if (renderError) {
      const type = media ? toSentType(media) : defaultType;
      const unwritten: string[] = [];
      const todo = createTodo(unwritten);
      const error = { kind: refusal.kind, status, operation: operation?.id, contentType: type };
      try {
        return { status, type, body: renderBody((given) => renderError(given, todo), error, refusal), unwritten };
      } catch (cause) {
        throw new RenderFailure(status, cause);
      }
    }
    const problem = [...(declared?.media.values() ?? [])].find(isProblem);
    // The type as the contract spells it, perhaps with a charset.
    if (renderedByCatalogue && !problem)
      return { ...renderedByCatalogue, type: media?.kind === 'json' ? media.type : renderedByCatalogue.type };
    // Problem details have only the members that the contract declares.
    const bodyShape = problem?.shape.properties.get('body');
    const body = toProblem(status, refusal.message, bodyShape);
    return { status, type: problem?.type ?? PROBLEM_TYPE, body };
  };
  const render: Render = errorHeaders ? withHeaders(renderBodyOf, errorHeaders) : renderBodyOf;
  if (renderError ?? errorHeaders) assertRenders(render, contract.operations);
  return render;
}

function createTodo(unwritten: string[]): Todo {
  return (what, value) => {
    unwritten.push(what);
    return value;
  };
}

// A header has nothing that a client wrote.
function withHeaders(render: Render, errorHeaders: ErrorHeaders): Render {
  return (refusal, operation) => {
    const rendered = render(refusal, operation);
    const { status, type: contentType = '' } = rendered;
    const declared = operation && findReply(operation, status);
    if (!declared || declared.headers.length === 0) return rendered;
    const { kind } = refusal;
    const unwritten = [...(rendered.unwritten ?? [])];
    const error = { kind, status, operation: operation.id, contentType, message: REFUSALS[kind].meaning, faults: [] };
    try {
      const made = Object.entries(errorHeaders(error, createTodo(unwritten)));
      const headers = made.filter(([name]) => declared.headers.some((header) => header.name === name));
      return { ...rendered, headers: Object.fromEntries(headers), unwritten };
    } catch (cause) {
      throw new RenderFailure(status, cause);
    }
  };
}

/** Chooses the body of a refusal if a reply declares several: the first that is JSON, else the first; undefined for none. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const declaredMedia = [...media.values()];
  return declaredMedia.find(({ kind }) => kind === 'json') ?? declaredMedia[0];
}

/** The media type of a body that the kit makes: that of its declaration, or one within a range, such as `text/*`. */
export function toSentType({ type, declared }: BodyMedia): string {
  if (!isRange(declared) || type === JSON_TYPE) return type;
  return /^(?:\*|text)\//.test(declared.name) ? 'text/plain' : declared.name.replace('*', 'octet-stream');
}

type RenderBody = (error: ErrorToRender) => unknown;

// A detail may quote the client, and a browser might run it as HTML: only JSON and plain text have details. If renderError fails
// with them, it is called without: start-up has tried that.
function renderBody(
  renderError: RenderBody,
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

function callRenderError(renderError: RenderBody, error: ErrorToRender): unknown {
  const body = renderError(error);
  assertReturned(body);
  return body;
}

// Proves at start-up that rendering any refusal, with and without an operation, neither fails nor lacks a body.
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

// Refusals whose status is fixed: HTTP ties headers to it, or the server is at fault.
type Fixed =
  | ('CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'FORBIDDEN' | 'UNKNOWN_PATH' | 'METHOD_NOT_ALLOWED')
  | ('TOO_MANY_REQUESTS' | 'INTERNAL_ERROR' | 'NOT_BUILT' | 'SERVICE_UNAVAILABLE');

/**
 * The statuses that a team chose, by the kind of refusal.
 *
 * @example const statuses: Statuses = { INVALID_BODY: 422, INVALID_PARAMETER: 422 };
 */
export type Statuses = Readonly<
  Partial<Record<Exclude<RefusalKind, Fixed>, Exclude<StatusesOf<'4'>, 401 | 403 | 404 | 405>>>
>;

// For these, 400 or 422 is right too, but less exact.
const REPLACEABLE_STATUSES: ReadonlySet<number> = new Set([400, 413, 415]);

/**
 * Where there is no error catalogue: the status that the team chose, or else HTTP's own. If the operation does not declare HTTP's
 * own for a wrong request, it is 400 or 422, whichever is declared; if both are, 422 is for a body that does not match its
 * schema (RFC 9110 section 15.5.21).
 */
function toStatus(kind: RefusalKind, operation: Operation | undefined, chosen: Statuses): number {
  const { [kind]: chosenStatus }: Readonly<Partial<Record<RefusalKind, number>>> = chosen;
  if (chosenStatus !== undefined) return chosenStatus;
  const { status } = REFUSALS[kind];
  if (!operation) return status;
  const isDeclared = (other: number): boolean => findReply(operation, other) !== undefined;
  // A handler that is not written yet: 501, or 503 if only that is declared.
  if (kind === 'NOT_BUILT') return !isDeclared(status) && isDeclared(503) ? 503 : status;
  // 400 itself is looked up below, since an operation that declares it may declare 422 for a wrong body.
  if (!REPLACEABLE_STATUSES.has(status) || (status !== 400 && isDeclared(status))) return status;
  const inOrder = kind === 'INVALID_BODY' ? [422, 400] : [400, 422];
  // Declared by itself: a range such as 4XX says nothing about 422.
  return inOrder.find((candidate) => operation.replies.has(candidate)) ?? status;
}

/** One row of a contract's error catalogue, `x-error-catalogue`: the number in the reply, its status, and a text. */
export interface CatalogueRow {
  readonly number: number;
  readonly status: number;
  readonly meaning: string;
}

/** By the name of the error. */
export type Catalogue = Readonly<Record<string, CatalogueRow>>;

const OPTIONAL: ReadonlySet<string> = new Set<RefusalKind>(['FORBIDDEN', 'TOO_MANY_REQUESTS', 'NOT_BUILT']);
const NOT_IMPLEMENTED = 501;

/**
 * The rows that a catalogue must have: one for each refusal that the kit makes itself.
 *
 * @example const missing = CATALOGUE_KINDS.filter((kind) => !Object.hasOwn(errors, kind))
 */
export const CATALOGUE_KINDS = (Object.keys(REFUSALS) as RefusalKind[]).filter((kind) => !OPTIONAL.has(kind));

/**
 * Creates a renderer of `{ error, message }`: the number of the catalogue's row with the refusal's name, and a text.
 *
 * @throws ContractError when the catalogue lacks a row
 * @example createCatalogueRenderer(errors)(new Refusal('UNKNOWN_PATH'), undefined).body // { error: 40400, message: '...' }
 */
export function createCatalogueRenderer(catalogue: Catalogue): Render {
  const missing = CATALOGUE_KINDS.filter((kind) => !Object.hasOwn(catalogue, kind));
  if (missing.length > 0) throw new ContractError(`the error catalogue lacks ${missing.join(', ')}`);
  const notImplemented = Object.values(catalogue).find(({ status }) => status === NOT_IMPLEMENTED);

  return ({ kind, detail }, operation) => {
    // A handler that is not written yet (NOT_BUILT) is a 501 only where catalogue and operation both declare it.
    const row =
      kind === 'NOT_BUILT' && notImplemented && operation && findReply(operation, NOT_IMPLEMENTED)
        ? notImplemented
        : rowOf(kind);
    const { number, status, meaning } = row;
    return { status, type: JSON_TYPE, body: { error: number, message: detail ?? meaning } };
  };

  // The row of a refusal. A catalogue may lack FORBIDDEN, TOO_MANY_REQUESTS and NOT_BUILT: they have the row of another then.
  function rowOf(kind: RefusalKind): CatalogueRow {
    const fallback: RefusalKind = kind === 'NOT_BUILT' ? 'SERVICE_UNAVAILABLE' : 'MALFORMED_REQUEST';
    return catalogue[kind] ?? { ...rowOf(fallback), meaning: REFUSALS[kind].meaning };
  }
}
