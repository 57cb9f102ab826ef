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

export interface RefusalOptions {
  readonly contract: RendererOptions['contract'];
  /** Renders refusals. The default is the result of {@link createRenderer} for the contract alone. */
  readonly render?: Render | undefined;
}

export interface RendererOptions {
  readonly contract: Pick<Contract, 'operations'>;
  /** Creates the bodies of refusals, for contracts whose errors are not problem details. */
  readonly renderError?: AnyRenderError | undefined;
  /** Creates headers for refusals. Only headers that the contract declares for the response are sent. */
  readonly errorHeaders?: ErrorHeaders | undefined;
  /** Overrides the statuses that the kit chooses for some kinds of refusals. */
  readonly statuses?: Statuses | undefined;
}

/**
 * Creates the renderer for refusals. A refusal has the media type that the operation declares for its status. `renderError`
 * creates the body. Without it, the body is problem details (RFC 9457) with the members that the contract declares.
 *
 * @throws ContractError if `renderError` fails
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
      if (declared?.media.size === 0) return { type: undefined, body: undefined };
      if (renderError) {
        const media = declared && chooseMedia(declared);
        const type = media ? toSentType(media) : defaultType;
        // A detail can quote the client, and a browser could run it as HTML, so only JSON and plain text contain one. If
        // renderError fails with the detail, it is called again without the detail, which was tested at startup.
        const isSafe = /^(?:[^;]*json|text\/plain)[ \t]*(?:;|$)/i.test(type);
        try {
          if (refusal.detail !== undefined && isSafe)
            return { type, body: assertReturned(renderError(createErrorToRender(type, refusal), todo)) };
        } catch {}
        return { type, body: assertReturned(renderError(createErrorToRender(type), todo)) };
      }
      const problem = [...(declared?.media.values() ?? [])].find(isProblem);
      const body = toProblem(status, refusal.message, problem?.shape.properties.get('body'));
      return { type: problem?.type ?? PROBLEM_TYPE, body };
    }

    function makeHeaders(type = ''): RenderedRefusal['headers'] {
      if (!errorHeaders || !declared || declared.headers.length === 0) return undefined;
      const names = new Set(declared.headers.map(({ name }) => name));
      const headers = Object.entries(errorHeaders(createErrorToRender(type), todo));
      return Object.fromEntries(headers.filter(([name]) => names.has(name)));
    }

    // Without `describedRefusal`, only the request id can come from the client.
    function createErrorToRender(contentType: string, describedRefusal = new Refusal(refusal.kind)): ErrorToRender {
      const { kind, message, faults } = describedRefusal;
      const error = { kind, status, operation: operation?.id, contentType, message, faults, [RENDERING]: rendering };
      return Object.defineProperty(error, 'requestId', REQUEST_ID) as RenderedError;
    }
  };
  if (renderError ?? errorHeaders) assertRenders(render, operations);
  return render;
}

const RENDERING = Symbol('rendering');

interface RenderedError extends ErrorToRender {
  readonly [RENDERING]: { readonly requestId: string; hasRequestId: boolean };
}

// All errors share one getter. If each had its own, V8 would keep the error and its refusal until a full garbage collection.
const REQUEST_ID: PropertyDescriptor & ThisType<RenderedError> = {
  enumerable: true,
  get() {
    this[RENDERING].hasRequestId = true;
    return this[RENDERING].requestId;
  },
};

const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Chooses the first JSON body, or the first body if none is JSON. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const declaredMedia = [...media.values()];
  return declaredMedia.find(({ kind, type }) => kind === 'json' && !type.endsWith('*')) ?? declaredMedia[0];
}

/** Returns the declared media type, or a media type in a declared range such as `text/*`. */
export function toSentType({ type, declared }: BodyMedia): string {
  if (!isRange(declared) || type === JSON_TYPE) return type;
  return /^(?:\*|text)\//.test(declared.name) ? 'text/plain' : declared.name.replace('*', 'octet-stream');
}

// Proves at startup that every refusal can be rendered, with and without an operation.
function assertRenders(render: Render, operations: readonly Operation[]): void {
  for (const operation of [undefined, ...operations]) {
    for (const kind of Object.keys(REFUSALS) as RefusalKind[]) {
      try {
        render(new Refusal(kind), operation);
      } catch (cause) {
        const subject = `${kind} of ${operation?.id ?? 'no operation'}`;
        throw new ContractError(`renderError fails for ${subject}: ${(cause as Error).message}`, { cause });
      }
    }
  }
}

// Undeclared errors have the media type of the contract's first JSON error.
function findErrorType(operations: readonly Operation[]): string {
  const replies = operations.flatMap((operation) => [...operation.replies]).filter(([key]) => mayDeclareErrors(key));
  const media = replies.flatMap(([, reply]) => [...reply.media.values()]);
  return media.find(({ kind }) => kind === 'json')?.type ?? JSON_TYPE;
}

// Refusals whose status cannot be configured, because it determines headers or because the server is at fault.
type FixedStatusKind =
  | ('CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'FORBIDDEN' | 'UNKNOWN_PATH' | 'METHOD_NOT_ALLOWED')
  | ('TOO_MANY_REQUESTS' | 'REFUSED_BY_SERVICE' | 'INTERNAL_ERROR' | 'NOT_BUILT' | 'SERVICE_UNAVAILABLE');

/**
 * The statuses that a team has chosen, keyed by kind of refusal.
 *
 * @example const statuses: Statuses = { INVALID_BODY: 422, INVALID_PARAMETER: 422 };
 */
export type Statuses = Readonly<
  Partial<Record<Exclude<RefusalKind, FixedStatusKind>, Exclude<StatusesOf<'4'>, 401 | 403 | 404 | 405>>>
>;

// Instead of these statuses, a 400 or 422 is also correct, but less specific.
const REPLACEABLE_STATUSES: ReadonlySet<number> = new Set([400, 413, 415]);

// If an operation does not declare HTTP's own status for an invalid request, this returns 400 or 422, whichever is declared. If
// both are, 422 is for a body that does not match its schema (RFC 9110 section 15.5.21).
function toStatus(kind: RefusalKind, operation: Operation | undefined, chosenStatuses: Statuses): number {
  const { [kind]: chosenStatus }: Readonly<Partial<Record<RefusalKind, number>>> = chosenStatuses;
  if (chosenStatus !== undefined) return chosenStatus;
  const { status } = REFUSALS[kind];
  if (!operation) return status;
  const isDeclared = (candidate: number): boolean => findReply(operation, candidate) !== undefined;
  if (kind === 'NOT_BUILT') return !isDeclared(status) && isDeclared(503) ? 503 : status;
  // A declared 400 is not returned yet, because the operation might declare 422 for an invalid body.
  if (!REPLACEABLE_STATUSES.has(status) || (status !== 400 && isDeclared(status))) return status;
  const candidates = kind === 'INVALID_BODY' ? [422, 400] : [400, 422];
  // isDeclared would not do, because a range such as 4XX does not show that 422 is expected.
  return candidates.find((candidate) => operation.replies.has(candidate)) ?? status;
}
