// Defines the type of renderers for refusals, and renders a refusal safely even if its renderer fails.
import { STATUS_CODES } from 'node:http';
import {
  isJson,
  parseMediaType,
  toExactJson,
  type Media,
  type MessageSchema,
  type Operation,
  type Shape,
} from '@contract-kit/contract';
import { type Fault, Refusal, type RefusalKind, REFUSALS } from './refusal';

export interface RenderedRefusal {
  readonly status: number;
  readonly type: string | undefined;
  /** A JSON value with int64s as bigints, or a string or bytes if the media type is not JSON. */
  readonly body: unknown;
  /** The declared headers, keyed by name, except the headers that the kit sets. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The headers and body to send, already checked. Each cookie is a separate header. */
  readonly checked?: { readonly headers: ReadyRefusal['headers']; readonly bytes: string | Buffer | undefined };
  /** Whether the body or a header contains the request id, which the client might have chosen. */
  readonly hasRequestId?: boolean;
  /** The names of the placeholders that were marked with {@link Todo}. */
  readonly unwritten: readonly string[];
}

/**
 * Renders the reply for a refusal; see {@link createRenderer}. If the operation declares the status, the kit proves at startup
 * that the reply matches the contract.
 *
 * @param operation undefined if it is not known, for example after malformed HTTP
 * @param requestId by default a sample
 * @example const render: Render = createRenderer({ contract });
 */
export type Render = (refusal: Refusal, operation?: Operation, requestId?: string) => RenderedRefusal;

/** Describes a refusal for a team's `renderError`. */
export interface ErrorToRender {
  readonly kind: RefusalKind;
  readonly status: number;
  /** Tells the client what is wrong with the request. It never reveals anything internal to the service. */
  readonly message: string;
  /**
   * One to ten invalid fields if the body or a parameter is invalid, otherwise empty. `pointer` and `message` can contain names
   * from the client, so if the error's body is neither JSON nor `text/plain`, the only fault is a general one, such as `/body`.
   */
  readonly faults: readonly Fault[];
  /** The reply's X-Request-Id, which consists of 8 to 64 letters, digits, dots, hyphens and underscores. */
  readonly requestId: string;
  /** The operationId; undefined if the operation is not known. */
  readonly operation: string | undefined;
  /** The declared media type of the body, or by default the media type of the contract's other errors. */
  readonly contentType: string;
}

/**
 * Marks a value as a placeholder, and returns it. Placeholders are logged at startup, and errors with placeholders are not checked.
 *
 * @example const renderError: RenderError = ({ message }, todo) => ({ message, severity: todo('severity', 'LOW') });
 */
export type Todo = <T>(what: string, value: T) => T;

/** Creates the body of a refusal. In generated/, its result has the contract's types. */
export type AnyRenderError = (error: ErrorToRender, todo: Todo) => unknown;

/**
 * Builds the headers for an error response, keyed by name. Only headers that the contract declares for the response are sent.
 *
 * @example const errorHeaders: ErrorHeaders = ({ kind }) => ({ 'X-Reason': kind });
 */
export type ErrorHeaders = (error: ErrorToRender, todo: Todo) => Readonly<Record<string, unknown>>;

/** Reported if a `renderError` fails. The refusal keeps its status. */
export class RenderFailure extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(String(cause), { cause });
    this.status = status;
  }
}

/** @throws Error if an untyped renderError returned undefined or a promise, whose rejection is ignored */
export function assertReturned(value: unknown): unknown {
  if (value === undefined) throw new Error('it returned undefined');
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function')
    return value;
  Promise.resolve(value).catch(() => undefined);
  throw new Error('it returned a promise');
}

export interface ReadyRefusal {
  /** The refusal to report. It is INTERNAL_ERROR if the renderer failed. */
  readonly refusal: Refusal;
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: string | Buffer;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

/**
 * Renders a refusal. If the renderer fails, the body is problem details without a detail, and the status is kept if it is
 * known. A refusal for an error from a handler or middleware becomes INTERNAL_ERROR instead.
 */
export function renderSafely(refusal: Refusal, render: Render, requestId?: string): ReadyRefusal {
  let status: number = REFUSALS[refusal.kind].status;
  try {
    const rendered = render(refusal, undefined, requestId);
    ({ status } = rendered);
    const { type, checked } = rendered;
    return { refusal, status, type, bytes: checked?.bytes ?? toBytes(rendered), headers: checked?.headers };
  } catch (cause) {
    if (refusal.status !== undefined) {
      const problem = `an error was thrown with the status ${String(refusal.status)}, but ${(cause as Error).message}`;
      return renderSafely(
        new Refusal('INTERNAL_ERROR', undefined, { cause: new Error(problem, { cause: refusal.cause }) }),
        render,
        requestId,
      );
    }
    if (cause instanceof RenderFailure) ({ status } = cause);
    const failure = new Error(`the renderer failed for ${refusal.kind}: ${(cause as Error).message}`, {
      cause: refusal.cause ?? cause,
    });
    const reportedRefusal = new Refusal('INTERNAL_ERROR', undefined, { cause: failure });
    return { refusal: reportedRefusal, status, type: PROBLEM_TYPE, bytes: toExactJson(toProblem(status)) };
  }
}

// Serializes as JSON, except for bytes, and for strings whose media type is well-formed and not JSON.
function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  if (Buffer.isBuffer(body)) return body;
  const mediaType = typeof body === 'string' ? parseMediaType(type) : undefined;
  const bytes = typeof body === 'string' && mediaType && !isJson(mediaType) ? body : toExactJson(body);
  // For some values, such as functions, JSON.stringify returns undefined.
  assertReturned(bytes);
  return bytes;
}

/** The media type of problem details (RFC 9457), which errors have unless the contract declares another. */
export const PROBLEM_TYPE = 'application/problem+json';

// The titles of statuses that RFC 9110 renamed. node:http still has the old names.
const TITLES: Readonly<Partial<Record<number, string>>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** Whether the media type or the members of a declared body show that it is problem details (RFC 9457). */
export function isProblem({ declared, kind, shape }: Media & MessageSchema): boolean {
  const properties = shape.properties.get('body')?.properties;
  return (
    declared.name === PROBLEM_TYPE || (kind === 'json' && ['title', 'status'].every((name) => properties?.has(name)))
  );
}

/** Creates problem details of type `about:blank` (RFC 9457 section 4.2.1), with the members that `shape` declares. */
export function toProblem(status: number, detail?: string, shape?: Shape): Readonly<Record<string, unknown>> {
  const members = {
    type: 'about:blank',
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    // If the contract declares the status as an int64, it must be a bigint.
    status: shape?.properties.get('status')?.isInt64 ? BigInt(status) : status,
    detail,
  };
  if (!shape || shape.keepsUndeclared) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => shape.properties.has(name)));
}
