import type { operations, security } from '../../generated/api';
import type { Exact } from './exact-type';
import type { OwnHeader } from './message';
import type { Identity } from './authenticate';

/** The operationIds of the contract. */
export type OperationId = keyof operations;

// Of headers, those that are listed by name; an index signature lists nothing, and the kit writes some itself.
type Listed<T> = {
  [Key in keyof T as string extends Key ? never : Lowercase<Key & string> extends OwnHeader ? never : Key]: T[Key];
};

type Group<Id extends OperationId, Place extends string> =
  operations[Id]['parameters'] extends Partial<Record<Place, infer Parameters>>
    ? [NonNullable<Parameters>] extends [never]
      ? unknown
      : Readonly<NonNullable<Parameters>>
    : unknown;

type ContentOf<T> = T extends { content: infer Content } ? Content : never;

// A body of each media type, with its name beside it.
type Bodies<Content> = {
  [Type in keyof Content]: { readonly contentType: Type; readonly body: Content[Type] };
}[keyof Content];
interface NoBody {
  readonly contentType: undefined;
  readonly body: undefined;
}

/** The request body of an operation as its handler gets it, with its media type; undefined where there is none. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? Bodies<ContentOf<Body>>
  : operations[Id] extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? NoBody
      : Bodies<ContentOf<NonNullable<Body>>> | NoBody
    : NoBody;

/** The statuses that the contract declares for an operation. */
export type Status<Id extends OperationId> = keyof operations[Id]['responses'] & number;

type Response<Id extends OperationId, S extends Status<Id>> = operations[Id]['responses'][S];

/** The body that the contract declares for a status; undefined where it lists none. */
export type ReplyBody<Id extends OperationId, S extends Status<Id>> =
  Response<Id, S> extends { content: infer Content } ? Content[keyof Content] : undefined;

// The media type has to be named where there are several.
type Several<T, All = T> = T extends unknown ? ([All] extends [T] ? never : All) : never;
type MediaTypes<Id extends OperationId, S extends Status<Id>> =
  Response<Id, S> extends { content: infer Content } ? Several<keyof Content> : never;

/** The headers that the contract declares for a status, and which of several media types the body has. */
export type ReplyHeaders<Id extends OperationId, S extends Status<Id>> = Listed<
  Response<Id, S> extends { headers: infer Headers } ? Headers : unknown
> &
  ([MediaTypes<Id, S>] extends [never] ? unknown : { 'Content-Type': MediaTypes<Id, S> });

declare const repliesTo: unique symbol;

/** What a handler answers. Only {@link ReplyFunction} makes one, so that every answer is checked against the contract. */
export interface Reply<Id extends OperationId = OperationId> {
  readonly status: number;
  readonly body: unknown;
  readonly [repliesTo]: Id;
}

// A status that could be one of several would let the body of one pass for another's.
type Single<S, All = S> = S extends unknown ? ([All] extends [S] ? S : never) : never;

// Headers are left out where none has to be there, and so is a body that there is not.
type Arguments<Body, DeclaredBody, Headers> = [keyof Headers] extends [never]
  ? [DeclaredBody] extends [undefined]
    ? []
    : [body: Body]
  : Partial<Headers> extends Headers
    ? [DeclaredBody] extends [undefined]
      ? [body?: undefined, headers?: Headers]
      : [body: Body, headers?: Headers]
    : [body: Body, headers: Headers];

/** Makes the reply of a handler: a status that the contract declares, and exactly the body and headers of it. */
export type ReplyFunction<Id extends OperationId> = <S extends Status<Id>, Body extends ReplyBody<Id, S>>(
  status: Single<S>,
  ...rest: Arguments<Exact<Body, ReplyBody<Id, S>>, ReplyBody<Id, S>, ReplyHeaders<Id, S>>
) => Reply<Id>;

type IdentitiesOf<Alternative> = Alternative extends readonly string[]
  ? Readonly<Record<Alternative[number], Identity>>
  : never;

/** What the contract says that an operation receives. */
export type HandlerRequest<Id extends OperationId> = RequestBody<Id> & {
  /** Parameters by name, as the contract spells it; what has a default is there. */
  readonly path: Group<Id, 'path'>;
  readonly query: Group<Id, 'query'>;
  readonly headers: Group<Id, 'header'>;
  readonly cookies: Group<Id, 'cookie'>;
  /** Who it is, by the security schemes of the alternative that was met. */
  readonly identity: IdentitiesOf<security[Id]>;
};

/** The work behind an operation. It sees neither request nor response, only what the contract declares. */
export type Handler<Id extends OperationId> = (
  request: HandlerRequest<Id>,
  reply: ReplyFunction<Id>,
) => Reply<Id> | Promise<Reply<Id>>;

/** A handler for each operation of the contract, and for nothing else. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
