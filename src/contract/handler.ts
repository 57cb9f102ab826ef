import type { operations } from '../../generated/api';
import type { Exact } from './exact-type';

/** The operationIds of the contract. */
export type OperationId = keyof operations;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The request body of an operation as its handler gets it; undefined where the contract lists none. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? Json<Body>
  : operations[Id] extends { requestBody?: infer Body }
    ? Json<NonNullable<Body>> | undefined
    : undefined;

/** The statuses that the contract declares for an operation. */
export type Status<Id extends OperationId> = keyof operations[Id]['responses'] & number;

/** The body that the contract declares for a status; undefined where it lists none. */
export type ReplyBody<Id extends OperationId, S extends Status<Id>> = Json<operations[Id]['responses'][S]>;

declare const repliesTo: unique symbol;

/** What a handler answers. Only {@link ReplyFunction} makes one, so that every answer is checked against the contract. */
export interface Reply<Id extends OperationId = OperationId> {
  readonly status: number;
  readonly body: unknown;
  readonly [repliesTo]: Id;
}

// A status that could be one of several would let the body of one pass for another's.
type Single<S, All = S> = S extends unknown ? ([All] extends [S] ? S : never) : never;

/** Makes the reply of a handler: a status that the contract declares and exactly the body that goes with it. */
export type ReplyFunction<Id extends OperationId> = <S extends Status<Id>, Body extends ReplyBody<Id, S>>(
  status: Single<S>,
  ...body: ReplyBody<Id, S> extends undefined ? [] : [Exact<Body, ReplyBody<Id, S>>]
) => Reply<Id>;

/** What the contract says that an operation receives. */
export interface HandlerRequest<Id extends OperationId> {
  readonly body: RequestBody<Id>;
}

/** The work behind an operation. It sees neither request nor response, only what the contract declares. */
export type Handler<Id extends OperationId> = (
  request: HandlerRequest<Id>,
  reply: ReplyFunction<Id>,
) => Reply<Id> | Promise<Reply<Id>>;

/** A handler for each operation of the contract, and for nothing else. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
