// The types of a handler, derived from its operation.
import type { MediaTypeIn, OperationTypes, ReplyBody, ReplyHeaders, Status } from './declared-replies';
import type { Identity } from '../enforcement/authenticate';
import type { Readable } from 'node:stream';

type Group<Operation extends OperationTypes, Place extends string> =
  Operation['parameters'] extends Partial<Record<Place, infer Parameters>>
    ? [NonNullable<Parameters>] extends [never]
      ? unknown
      : Readonly<NonNullable<Parameters>>
    : unknown;

type BodyContent<T> = T extends { content: infer Content } ? Content : never;

// A body of each media type, together with the media type.
type Bodies<Content> = {
  [Type in keyof Content]: { readonly contentType: MediaTypeIn<Type>; readonly body: Content[Type] };
}[keyof Content];
interface NoBody {
  readonly contentType: undefined;
  readonly body: undefined;
}

/** The request body that a handler gets, with its media type; undefined without a body. */
export type RequestBody<Operation> = Operation extends { requestBody: infer Body }
  ? Bodies<BodyContent<Body>>
  : Operation extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? NoBody
      : Bodies<BodyContent<NonNullable<Body>>> | NoBody
    : NoBody;

declare const repliesTo: unique symbol;

/** A handler's reply. Only {@link ReplyFunction} makes one, so that every reply is checked against the contract. */
export interface Reply<Operation extends OperationTypes> {
  readonly status: number;
  readonly body: unknown;
  readonly [repliesTo]: Operation;
}

// With a union of statuses, the body of one status would pass as the body of another.
type Single<S, All = S> = S extends unknown ? ([All] extends [S] ? S : never) : never;

// A reply without a body has no body argument. The headers argument is optional if no header is required.
type Arguments<Body, DeclaredBody, Headers> = [keyof Headers] extends [never]
  ? [DeclaredBody] extends [undefined]
    ? []
    : [body: Body]
  : Partial<Headers> extends Headers
    ? [DeclaredBody] extends [undefined]
      ? [body?: undefined, headers?: Headers]
      : [body: Body, headers?: Headers]
    : [body: Body, headers: Headers];

/** Makes the reply of a handler: a declared status, with exactly the body and headers that are declared for it. */
export type ReplyFunction<Operation extends OperationTypes> = <
  S extends Status<Operation>,
  Body extends ReplyBody<Operation, S>,
>(
  status: Single<S>,
  ...rest: Arguments<Exact<Body, ReplyBody<Operation, S>>, ReplyBody<Operation, S>, ReplyHeaders<Operation, S>>
) => Reply<Operation>;

type IdentitiesOf<Alternative> = Alternative extends readonly string[]
  ? Readonly<Record<Alternative[number], Identity>>
  : never;

/** The input of a handler, as the contract declares it. */
export type HandlerRequest<Operation extends OperationTypes, Alternatives> = RequestBody<Operation> & {
  /** Parameters by name, as the contract spells them, with defaults filled in. */
  readonly path: Group<Operation, 'path'>;
  readonly query: Group<Operation, 'query'>;
  readonly headers: Group<Operation, 'header'>;
  readonly cookies: Group<Operation, 'cookie'>;
  /** The caller, by each security scheme of the alternative that was met. */
  readonly identity: IdentitiesOf<Alternatives>;
};

/**
 * The work behind an operation. It has no access to the HTTP request and response, only to declared values.
 *
 * @example const getClock: Handler<operations['getClock'], security['getClock']> = (_, reply) => reply(200, { hour: 12 });
 */
export type Handler<Operation extends OperationTypes, Alternatives> = (
  request: HandlerRequest<Operation, Alternatives>,
  reply: ReplyFunction<Operation>,
) => Reply<Operation> | Promise<Reply<Operation>>;

/**
 * `Given` if `Shape` declares each of its properties, at any depth; otherwise a type that it is not assignable to. TypeScript
 * refuses an undeclared property only in a literal: a variable may hold more than its type declares, and would leak it.
 */
export type Exact<Given, Shape> = unknown extends Shape
  ? Given
  : Shape extends Uint8Array | Readable
    ? Given extends Shape
      ? Given
      : never
    : ExactValue<Given, Shape>;

type ExactValue<Given, Shape> = Shape extends unknown
  ? Given extends Shape
    ? Given extends readonly (infer Item)[]
      ? Shape extends readonly (infer ItemShape)[]
        ? readonly Exact<Item, ItemShape>[]
        : never
      : Given extends object
        ? { [Key in keyof Given]: Key extends keyof Shape ? Exact<Given[Key], Shape[Key]> : never }
        : Given
    : never
  : never;
