import type { Operation } from '../operation/operation';
import type { Refusal } from './refusal';

/** What a client is sent of a refusal. */
export interface RenderedRefusal {
  readonly status: number;
  /** The media type, JSON or a suffix of it. */
  readonly type: string;
  /** A value of JSON. */
  readonly body: unknown;
}

/**
 * Makes what a client is sent of a refusal: what the contract declares for the operation, which is proven at start-up.
 *
 * @param operation undefined where the request has none, such as for an unknown path or broken HTTP
 * @example
 * const render: Render = ({ kind, message }) => ({
 *   status: REFUSALS[kind].status,
 *   type: 'application/problem+json',
 *   body: { title: message },
 * });
 */
export type Render = (refusal: Refusal, operation: Operation | undefined) => RenderedRefusal;
