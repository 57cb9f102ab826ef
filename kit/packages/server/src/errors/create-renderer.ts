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
  /** By default, {@link createRenderer} creates one from the contract alone. */
  readonly render?: Render | undefined;
}

export interface RendererOptions {
  readonly contract: Pick<Contract, 'operations'>;
  /** Creates the body of every refusal, for contracts whose errors are not problem details. */
  readonly renderError?: AnyRenderError | undefined;
  /** Creates the headers of refusals. Only those that the contract declares are sent. */
  readonly errorHeaders?: ErrorHeaders | undefined;
  /** The statuses for some kinds of refusals, instead of those that the kit would choose. */
  readonly statuses?: Statuses | undefined;
}

/**
 * Creates the renderer for refusals. A refusal has the media type that the operation declares for its status. If there is a
 * `renderError`, it creates the body. Otherwise the body is problem details (RFC 9457), with the members that the contract
 * declares.
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
        // A detail may quote the client, and a browser might run it as HTML, so only JSON and plain text get one. If
        // renderError fails with the detail, it is called without it, which was tested at start-up.
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
      const headers = Object.entries(errorHeaders(describe(type), todo));
      return Object.fromEntries(headers.filter(([name]) => names.has(name)));
    }

    // By default, nothing in it comes from the client, except the request id.
    function describe(contentType: string, described = new Refusal(refusal.kind)): ErrorToRender {
      const { kind, message, faults } = described;
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

// All errors share one getter. V8 would keep an error with a getter of its own, and the whole refusal, until a full collection.
const REQUEST_ID: PropertyDescriptor & ThisType<Described> = {
  enumerable: true,
  get() {
    this[RENDERING].hasRequestId = true;
    return this[RENDERING].requestId;
  },
};

const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Chooses the first declared body that is JSON, or else the first one. */
export function chooseMedia({ media }: DeclaredReply): BodyMedia | undefined {
  const declaredMedia = [...media.values()];
  return declaredMedia.find(({ kind, type }) => kind === 'json' && !type.endsWith('*')) ?? declaredMedia[0];
}

/** Returns the declared media type, or one within a declared range such as `text/*`. */
export function toSentType({ type, declared }: BodyMedia): string {
  if (!isRange(declared) || type === JSON_TYPE) return type;
  return /^(?:\*|text)\//.test(declared.name) ? 'text/plain' : declared.name.replace('*', 'octet-stream');
}

// Proves at start-up that every refusal can be rendered, with and without an operation.
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

// Errors that no operation declares have the media type of the contract's first JSON error.
function findErrorType(operations: readonly Operation[]): string {
  const replies = operations.flatMap((operation) => [...operation.replies]).filter(([key]) => mayDeclareErrors(key));
  const media = replies.flatMap(([, reply]) => [...reply.media.values()]);
  return media.find(({ kind }) => kind === 'json')?.type ?? JSON_TYPE;
}

// Refusals whose status a team cannot choose, because HTTP ties headers to the status, or the server is at fault.
type Fixed =
  | ('CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'FORBIDDEN' | 'UNKNOWN_PATH' | 'METHOD_NOT_ALLOWED')
  | ('TOO_MANY_REQUESTS' | 'REFUSED_BY_SERVICE' | 'INTERNAL_ERROR' | 'NOT_BUILT' | 'SERVICE_UNAVAILABLE');

/**
 * The statuses that a team chose, by kind of refusal.
 *
 * @example const statuses: Statuses = { INVALID_BODY: 422, INVALID_PARAMETER: 422 };
 */
export type Statuses = Readonly<
  Partial<Record<Exclude<RefusalKind, Fixed>, Exclude<StatusesOf<'4'>, 401 | 403 | 404 | 405>>>
>;

// In place of these, 400 or 422 is also correct, but less specific.
const REPLACEABLE_STATUSES: ReadonlySet<number> = new Set([400, 413, 415]);

// If an operation does not declare HTTP's own status for an invalid request, returns 400 or 422, whichever is declared. If both
// are, 422 is for a body that does not match its schema (RFC 9110 section 15.5.21).
function toStatus(kind: RefusalKind, operation: Operation | undefined, chosen: Statuses): number {
  const { [kind]: chosenStatus }: Readonly<Partial<Record<RefusalKind, number>>> = chosen;
  if (chosenStatus !== undefined) return chosenStatus;
  const { status } = REFUSALS[kind];
  if (!operation) return status;
  const isDeclared = (candidate: number): boolean => findReply(operation, candidate) !== undefined;
  if (kind === 'NOT_BUILT') return !isDeclared(status) && isDeclared(503) ? 503 : status;
  // A declared 400 is not returned here yet, since the operation may declare 422 for an invalid body.
  if (!REPLACEABLE_STATUSES.has(status) || (status !== 400 && isDeclared(status))) return status;
  const candidates = kind === 'INVALID_BODY' ? [422, 400] : [400, 422];
  // isDeclared is not used, since a range such as 4XX says nothing about 422.
  return candidates.find((candidate) => operation.replies.has(candidate)) ?? status;
}
