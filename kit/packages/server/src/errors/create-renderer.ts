// Chooses how the refusals of a contract are rendered.
import {
  ContractError,
  findReply,
  isRange,
  JSON_TYPE,
  mayDeclareErrors,
  type BodyMedia,
  type Contract,
  type DeclaredReply,
  type Operation,
  type StatusesOf,
} from '@contract-kit/contract';
import {
  assertReturned,
  isProblem,
  PROBLEM_TYPE,
  RenderFailure,
  toProblem,
  type AnyRenderError,
  type ErrorHeaders,
  type ErrorToRender,
  type Render,
  type RenderedRefusal,
  type Todo,
} from './render';
import { REFUSALS, Refusal, type RefusalKind } from './refusal';

/** A contract, and what renders its refusals. */
export interface RefusalOptions {
  readonly contract: RendererOptions['contract'];
  /** By default as {@link createRenderer} makes it of the contract alone. */
  readonly render?: Render | undefined;
}

/** What the refusals of a contract are made of. */
export interface RendererOptions {
  readonly contract: Pick<Contract, 'operations'>;
  /** Makes the body of every refusal, for contracts whose errors are not problem details. */
  readonly renderError?: AnyRenderError | undefined;
  /** Makes the headers that the contract declares for errors. */
  readonly errorHeaders?: ErrorHeaders | undefined;
  /** The statuses of refusals that differ from the contract's default. */
  readonly statuses?: Statuses | undefined;
}

/**
 * Creates the renderer of refusals. It uses the media type and the body that the operation declares for the status. The
 * team's `renderError` makes the body if there is one; else it is problem details (RFC 9457), with the members that the
 * contract declares.
 *
 * @throws ContractError when `renderError` fails
 * @example const render = createRenderer({ contract, renderError: ({ status, message }) => ({ code: status, message }) })
 */
export function createRenderer({
  contract: { operations },
  renderError,
  errorHeaders,
  statuses = {},
}: RendererOptions): Render {
  const defaultType = findErrorType(operations);

  const render: Render = (refusal, operation, requestId = SAMPLE_ID) => {
    const status = refusal.status ?? toStatus(refusal.kind, operation, statuses);
    const declared = operation && findReply(operation, status);
    const unwritten: string[] = [];
    const rendering = { requestId, hasRequestId: false };
    const todo: Todo = (what, value) => {
      unwritten.push(what);
      return value;
    };
    try {
      const { type, body } = makeBody();
      const headers = makeHeaders(type);
      return { status, type, body, headers, unwritten, hasRequestId: rendering.hasRequestId };
    } catch (cause) {
      throw new RenderFailure(status, cause);
    }

    function makeBody(): Pick<RenderedRefusal, 'type' | 'body'> {
      // The reply is declared without a body.
      if (declared?.media.size === 0) return { type: undefined, body: undefined };
      if (renderError) {
        const media = declared && chooseMedia(declared);
        const type = media ? toSentType(media) : defaultType;
        // A detail may quote the client, and a browser might run it as HTML: only JSON and plain text have details. If
        // renderError fails with them, it is called without: start-up has tried that.
        const isSafe = /^(?:[^;]*json|text\/plain)[ \t]*(?:;|$)/i.test(type);
        try {
          if (refusal.detail !== undefined && isSafe)
            return { type, body: assertReturned(renderError(describe(type, refusal), todo)) };
        } catch {}
        return { type, body: assertReturned(renderError(describe(type), todo)) };
      }
      const problem = [...(declared?.media.values() ?? [])].find(isProblem);
      const body = toProblem(status, refusal.message, problem?.shape.properties.get('body'));
      return { type: problem?.type ?? PROBLEM_TYPE, body };
    }

    function makeHeaders(type = ''): RenderedRefusal['headers'] {
      if (!errorHeaders || !declared || declared.headers.length === 0) return undefined;
      const names = new Set(declared.headers.map(({ name }) => name));
      const made = Object.entries(errorHeaders(describe(type), todo));
      return Object.fromEntries(made.filter(([name]) => names.has(name)));
    }

    // By default without anything that a client wrote, but for the id of its request.
    function describe(contentType: string, told = new Refusal(refusal.kind)): ErrorToRender {
      const { kind, message, faults } = told;
      const error = { kind, status, operation: operation?.id, contentType, message, faults, [RENDERING]: rendering };
      return Object.defineProperty(error, 'requestId', REQUEST_ID) as Described;
    }
  };
  if (renderError ?? errorHeaders) assertRenders(render, operations);
  return render;
}

const RENDERING = Symbol('rendering');

interface Described extends ErrorToRender {
  readonly [RENDERING]: { readonly requestId: string; hasRequestId: boolean };
}

// One getter for all: V8 keeps an error with a getter of its own, and the whole refusal, until a full collection.
const REQUEST_ID: PropertyDescriptor & ThisType<Described> = {
  enumerable: true,
  get() {
    this[RENDERING].hasRequestId = true;
    return this[RENDERING].requestId;
  },
};

// A UUID, as most ids are.
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Chooses the body of a refusal if a reply declares several: the first that is JSON, else the first; undefined for none. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const declaredMedia = [...media.values()];
  return declaredMedia.find(({ kind, type }) => kind === 'json' && !type.endsWith('*')) ?? declaredMedia[0];
}

/** The media type of a body that the kit makes: that of its declaration, or one within a range, such as `text/*`. */
export function toSentType({ type, declared }: BodyMedia): string {
  if (!isRange(declared) || type === JSON_TYPE) return type;
  return /^(?:\*|text)\//.test(declared.name) ? 'text/plain' : declared.name.replace('*', 'octet-stream');
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
  | ('TOO_MANY_REQUESTS' | 'REFUSED_BY_SERVICE' | 'INTERNAL_ERROR' | 'NOT_BUILT' | 'SERVICE_UNAVAILABLE');

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
 * The status that the team chose, or else HTTP's own. If the operation does not declare HTTP's own for a wrong request, it is
 * 400 or 422, whichever is declared; if both are, 422 is for a body that does not match its schema (RFC 9110 section
 * 15.5.21).
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
