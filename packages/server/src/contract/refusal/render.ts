import type { Operation } from '../operation/operation';
import type { Refusal } from './refusal';

/** The reply of a refusal. */
export interface RenderedRefusal {
  readonly status: number;
  /** The media type, JSON or a suffix of it. */
  readonly type: string;
  /** A JSON value. */
  readonly body: unknown;
}

/**
 * Makes the reply of a refusal. The kit proves at start-up that the contract declares it for the operation.
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
