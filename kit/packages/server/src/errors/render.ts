// Renders refusals: the type of a renderer, and what is sent whatever it does.
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

/** The reply of a refusal. */
export interface RenderedRefusal {
  readonly status: number;
  /** The media type; undefined if there is no body. */
  readonly type: string | undefined;
  /** A JSON value, or a text or bytes where the media type is not JSON. An int64 is a bigint. */
  readonly body: unknown;
  /** The headers that the contract declares for it, by name; those that the kit itself sets are not among them. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The texts of headers and body, once they were checked: each cookie is one of its own. */
  readonly checked?: { readonly headers: ReadyRefusal['headers']; readonly bytes: string | Buffer | undefined };
  /** Whether it has the id of its request, which a client may have chosen. */
  readonly hasRequestId?: boolean;
  /** What is to be written in it: see {@link Todo}. */
  readonly unwritten: readonly string[];
}

/**
 * Makes the reply of a refusal; {@link createRenderer} creates it. Where the contract declares the status for the operation,
 * the kit proves at start-up that the reply is what it declares.
 *
 * @param operation none if the request has none, such as for an unknown path or malformed HTTP
 * @param requestId a sample of one by default
 * @example const render: Render = createRenderer({ contract });
 */
export type Render = (refusal: Refusal, operation?: Operation, requestId?: string) => RenderedRefusal;

/** A refusal, as a team's `renderError` gets it. */
export interface ErrorToRender {
  readonly kind: RefusalKind;
  readonly status: number;
  /** What is wrong with the request, for the client; never anything about the inside of the service. */
  readonly message: string;
  /**
   * The wrong fields, at most ten: at least one where the body or a parameter is wrong, none for other refusals. Names in
   * `pointer` and `message` may be the client's, unless the body of the error is neither JSON nor `text/plain`: then the only
   * fault is `/body`, say.
   */
  readonly faults: readonly Fault[];
  /** The id of the request, which the reply has as X-Request-Id: 8 to 64 letters, digits, dots, hyphens and underscores. */
  readonly requestId: string;
  /** The operationId; undefined if the request has no operation, such as for an unknown path. */
  readonly operation: string | undefined;
  /** The media type of the body: the declared one, or that of the contract's errors if none is declared. */
  readonly contentType: string;
}

/**
 * Marks a value of an error that is to be written, and returns it: the start lists it, and does not ask that its body fits.
 *
 * @example const renderError: RenderError = ({ message }, todo) => ({ message, severity: todo('severity', 'LOW') });
 */
export type Todo = <T>(what: string, value: T) => T;

/** Makes the body of a refusal, as the contract declares it; generated/ binds its result to a contract. */
export type AnyRenderError = (error: ErrorToRender, todo: Todo) => unknown;

/**
 * Makes the headers of refusals, by name: each refusal is sent with those that the contract declares for it.
 *
 * @example const errorHeaders: ErrorHeaders = ({ kind }) => ({ 'X-Reason': kind });
 */
export type ErrorHeaders = (error: ErrorToRender, todo: Todo) => Readonly<Record<string, unknown>>;

/** A `renderError` that failed, and the status that its refusal has all the same. */
export class RenderFailure extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(String(cause), { cause });
    this.status = status;
  }
}

/** @throws Error for what renderError may return without types: undefined, or a promise, whose rejection nobody would handle. */
export function assertReturned(value: unknown): unknown {
  if (value === undefined) throw new Error('it returned undefined');
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function')
    return value;
  Promise.resolve(value).catch(() => undefined);
  throw new Error('it returned a promise');
}

/** A refusal as it is sent and reported. */
export interface ReadyRefusal {
  /** The refusal to report: INTERNAL_ERROR if the renderer failed. */
  readonly refusal: Refusal;
  readonly status: number;
  /** The media type; undefined for a reply without a body. */
  readonly type: string | undefined;
  readonly bytes: string | Buffer;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

/**
 * Renders a refusal. If that fails, the status is kept as far as it is known, and the body is problem details without a detail;
 * an error that a handler or middleware threw becomes INTERNAL_ERROR.
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
    // The log has the stack of what went wrong first.
    const failure = new Error(`the renderer failed for ${refusal.kind}: ${(cause as Error).message}`, {
      cause: refusal.cause ?? cause,
    });
    const reported = new Refusal('INTERNAL_ERROR', undefined, { cause: failure });
    return { refusal: reported, status, type: PROBLEM_TYPE, bytes: toExactJson(toProblem(status)) };
  }
}

// JSON, except for bytes, and for a text of another media type. A malformed media type counts as JSON. Empty without a body.
function toBytes({ type, body }: RenderedRefusal): string | Buffer {
  if (type === undefined) return '';
  if (Buffer.isBuffer(body)) return body;
  const mediaType = typeof body === 'string' ? parseMediaType(type) : undefined;
  const bytes = typeof body === 'string' && mediaType && !isJson(mediaType) ? body : toExactJson(body);
  // JSON.stringify returns undefined for a function, for example.
  assertReturned(bytes);
  return bytes;
}

/** The media type of problem details (RFC 9457), the body of errors where a contract declares nothing else. */
export const PROBLEM_TYPE = 'application/problem+json';

// The names of RFC 9110, where node:http has those of earlier documents.
const TITLES: Readonly<Partial<Record<number, string>>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** Whether a declared body is problem details (RFC 9457): by its media type, or as JSON with their members. */
export function isProblem({ declared, kind, shape }: Media & MessageSchema): boolean {
  // The shape is that of the whole reply: its headers and body.
  const properties = shape.properties.get('body')?.properties;
  return (
    declared.name === PROBLEM_TYPE || (kind === 'json' && ['title', 'status'].every((name) => properties?.has(name)))
  );
}

/** `about:blank`, titled by the status (RFC 9457 section 4.2.1). `shape`, that of the declared body, decides the members. */
export function toProblem(status: number, detail?: string, shape?: Shape): Readonly<Record<string, unknown>> {
  const members = {
    type: 'about:blank',
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    // The contract may declare the status as an int64, which a reply has as a bigint.
    status: shape?.properties.get('status')?.isInt64 ? BigInt(status) : status,
    detail,
  };
  if (!shape || shape.keepsUndeclared) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => shape.properties.has(name)));
}
