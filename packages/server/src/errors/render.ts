// The type of a renderer, which makes the reply of a refusal.
import type { Operation } from '../contract/operation/operation';
import type { Fault, Refusal, RefusalKind } from './refusal';

/** The reply of a refusal. */
export interface RenderedRefusal {
  readonly status: number;
  /** The media type; undefined if there is no body. */
  readonly type: string | undefined;
  /** A JSON value, or a text or bytes where the media type is not JSON. An int64 is a bigint. */
  readonly body: unknown;
}

/**
 * Makes the reply of a refusal. Where the contract declares the status for the operation, the kit proves at start-up that
 * the reply is what it declares.
 *
 * @param operation undefined if the request has none, such as for an unknown path or malformed HTTP
 * @example
 * const render: Render = ({ kind, message }) => ({
 *   status: REFUSALS[kind].status,
 *   type: 'application/problem+json',
 *   body: { title: message },
 * });
 */
export type Render = (refusal: Refusal, operation: Operation | undefined) => RenderedRefusal;

/** A refusal, as a team's `renderError` gets it. */
export interface ErrorToRender {
  readonly kind: RefusalKind;
  readonly status: number;
  /** What is wrong with the request, for the client; never anything about the inside of the service. */
  readonly message: string;
  /**
   * The wrong fields, at most ten; none where something else is wrong, or where the body is neither JSON nor `text/plain`.
   * Names in `pointer` and `message` may be the client's.
   */
  readonly faults: readonly Fault[];
  /** The operationId; undefined if the request has no operation, such as for an unknown path. */
  readonly operation: string | undefined;
  /** The media type of the body: the declared one, or that of the contract's errors if none is declared. */
  readonly contentType: string;
}

/** Makes the body of a refusal, as the contract declares it; generated/ binds its result to a contract. */
export type AnyRenderError = (error: ErrorToRender) => unknown;

/** A `renderError` that failed, and the status that its refusal has all the same. */
export class RenderFailure extends Error {
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(String(cause), { cause });
    this.status = status;
  }
}

/** @throws Error for no reply or no body, or a promise of one */
export function assertRendered(rendered: RenderedRefusal): void {
  assertMade(rendered);
  if (rendered.type !== undefined) assertMade(rendered.body);
}

/** @throws Error for what a renderer without types may return: undefined, or a promise, whose rejection nobody would handle. */
export function assertMade(value: unknown): void {
  if (value === undefined) throw new Error('it returned undefined');
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return;
  Promise.resolve(value).catch(() => undefined);
  throw new Error('it returned a promise');
}
