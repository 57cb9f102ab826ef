// The type of a refusal renderer, and the refusal that is sent even if a renderer fails.
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
  /** The media type; undefined if there is no body. */
  readonly type: string | undefined;
  /** A JSON value, or a string or bytes if the media type is not JSON. An int64 is a bigint. */
  readonly body: unknown;
  /** The headers that the contract declares for it, by name, except those that the kit sets. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The headers and body to send, once they have been checked. Each cookie is a separate header. */
  readonly checked?: { readonly headers: ReadyRefusal['headers']; readonly bytes: string | Buffer | undefined };
  /** Whether the body or a header contains the request id, which a client may have chosen. */
  readonly hasRequestId?: boolean;
  /** The names of the placeholders marked with {@link Todo}. */
  readonly unwritten: readonly string[];
}

/**
 * Renders a refusal's reply; {@link createRenderer} creates such a function. If the contract declares the status for the operation,
 * the kit proves at start-up that the reply matches.
 *
 * @param operation undefined for an unknown path or malformed HTTP, for example
 * @param requestId a sample by default
 * @example const render: Render = createRenderer({ contract });
 */
export type Render = (refusal: Refusal, operation?: Operation, requestId?: string) => RenderedRefusal;

/** A refusal, as it is passed to a team's `renderError`. */
export interface ErrorToRender {
  readonly kind: RefusalKind;
  readonly status: number;
  /** What is wrong with the request, for the client. It never reveals anything about the inside of the service. */
  readonly message: string;
  /**
   * The invalid fields: one to ten if the body or a parameter is invalid, none otherwise. Names in `pointer` and `message`
   * may be chosen by the client. If the error's body is neither JSON nor `text/plain`, the only fault is a general one, such as
   * `/body`.
   */
  readonly faults: readonly Fault[];
  /** The X-Request-Id of the reply: 8 to 64 letters, digits, dots, hyphens and underscores. */
  readonly requestId: string;
  /** The operationId; undefined for an unknown path, for example. */
  readonly operation: string | undefined;
  /** The body's media type: the declared one, or by default that of the contract's other errors. */
  readonly contentType: string;
}

/**
 * Marks a placeholder in an error, and returns it. At start-up, placeholders are listed, and errors that have any are not checked.
 *
 * @example const renderError: RenderError = ({ message }, todo) => ({ message, severity: todo('severity', 'LOW') });
 */
export type Todo = <T>(what: string, value: T) => T;

/** Creates a refusal's body. In generated/, its result has the contract's types. */
export type AnyRenderError = (error: ErrorToRender, todo: Todo) => unknown;

/**
 * Creates the headers of refusals, by name. A refusal is sent with those that the contract declares for it.
 *
 * @example const errorHeaders: ErrorHeaders = ({ kind }) => ({ 'X-Reason': kind });
 */
export type ErrorHeaders = (error: ErrorToRender, todo: Todo) => Readonly<Record<string, unknown>>;

/** Reported when a `renderError` fails. The refusal keeps its status. */
export class RenderFailure extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(String(cause), { cause });
    this.status = status;
  }
}

/** @throws Error for invalid results of an untyped renderError: undefined, or a promise, whose rejection is ignored */
export function assertReturned(value: unknown): unknown {
  if (value === undefined) throw new Error('it returned undefined');
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function')
    return value;
  Promise.resolve(value).catch(() => undefined);
  throw new Error('it returned a promise');
}

export interface ReadyRefusal {
  /** The refusal to report: INTERNAL_ERROR if the renderer failed. */
  readonly refusal: Refusal;
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: string | Buffer;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

/**
 * Renders a refusal. If that fails, the body is problem details without a detail, and the status stays if it is known. An error
 * thrown by a handler or middleware becomes INTERNAL_ERROR.
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
    // The first error's stack goes into the log.
    const failure = new Error(`the renderer failed for ${refusal.kind}: ${(cause as Error).message}`, {
      cause: refusal.cause ?? cause,
    });
    const reported = new Refusal('INTERNAL_ERROR', undefined, { cause: failure });
    return { refusal: reported, status, type: PROBLEM_TYPE, bytes: toExactJson(toProblem(status)) };
  }
}

// Everything is JSON except bytes, and strings with another media type. A malformed media type counts as JSON.
function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  if (Buffer.isBuffer(body)) return body;
  const mediaType = typeof body === 'string' ? parseMediaType(type) : undefined;
  const bytes = typeof body === 'string' && mediaType && !isJson(mediaType) ? body : toExactJson(body);
  // JSON.stringify returns undefined for a function, for example.
  assertReturned(bytes);
  return bytes;
}

/** The media type of problem details (RFC 9457), the body of errors unless the contract declares another. */
export const PROBLEM_TYPE = 'application/problem+json';

// RFC 9110 renamed these, but node:http still has the old names.
const TITLES: Readonly<Partial<Record<number, string>>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** Whether a declared body is problem details (RFC 9457), judging by its media type or its members. */
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
