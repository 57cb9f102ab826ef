// The types of handlers, derived from their operations.
import type { KitHeader, StatusesOf } from '@contract-kit/contract';
import type { Identity, Verifier } from '../auth/authenticate';
import type { Readable } from 'node:stream';
import { Refusal } from '../errors/refusal';
import type { ErrorToRender, Todo } from '../errors/render';
import type { HandlerContext } from './handler-call';

type ParameterGroup<Operation extends OperationTypes, Place extends string> =
  Operation['parameters'] extends Partial<Record<Place, infer Parameters>>
    ? [NonNullable<Parameters>] extends [never]
      ? unknown
      : Readonly<NonNullable<Parameters>>
    : unknown;

type BodyContent<T> = T extends { content: infer Content } ? Content : never;

type Bodies<Content> = {
  [Type in keyof Content]: { readonly contentType: MediaTypeIn<Type>; readonly body: Content[Type] };
}[keyof Content];
interface NoBody {
  readonly contentType: undefined;
  readonly body: undefined;
}

/** The request body that a handler gets, with its media type. */
export type RequestBody<Operation> = Operation extends { requestBody: infer Body }
  ? Bodies<BodyContent<Body>>
  : Operation extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? NoBody
      : Bodies<BodyContent<NonNullable<Body>>> | NoBody
    : NoBody;

declare const repliesTo: unique symbol;

/**
 * A handler's reply. `Key` is the declared status, range or `default`. Only {@link ReplyFunction} creates one, so that every reply
 * is checked against the contract.
 */
export interface Reply<Key, DeclaredBody> {
  readonly status: number;
  readonly body: unknown;
  readonly [repliesTo]: readonly [Key, DeclaredBody];
}

// Resolves to never for a union of statuses, with which the body of one status would be accepted for another.
type SingleStatus<S, All = S> = S extends unknown ? ([All] extends [S] ? S : never) : never;

/** The headers of a reply that does not declare any. The compiler's message names any header that a handler sets anyway. */
export interface NoHeaders {
  readonly [undeclared]?: never;
}

type ReplyArguments<Body, DeclaredBody, Headers> =
  Partial<Headers> extends Headers
    ? [DeclaredBody] extends [undefined]
      ? [body?: undefined, headers?: Headers]
      : [body: Body, headers?: Headers]
    : [body: Body, headers: Headers];

/**
 * Creates a handler's reply: a declared status, with exactly the body and headers that are declared for it. For any other status,
 * the compiler's message lists the declared ones.
 */
export type ReplyFunction<Bodies, Headers = object> = <S extends number, Body extends Bodies[StatusKey<S, Bodies>]>(
  status: [S] extends [StatusIn<Bodies>] ? SingleStatus<S> : StatusIn<Bodies>,
  ...rest: [S] extends [StatusIn<Bodies>]
    ? ReplyArguments<
        Exact<Body, Bodies[StatusKey<S, Bodies>]>,
        Bodies[StatusKey<S, Bodies>],
        StatusKey<S, Bodies> extends keyof Headers ? Headers[StatusKey<S, Bodies>] : NoHeaders
      >
    : unknown[]
) => ReplyWith<S, Bodies>;

// What a call of `reply` returns. The type is short, since an editor shows it at each call.
type ReplyWith<S, Bodies> = S extends number ? Reply<StatusKey<S, Bodies>, Bodies[StatusKey<S, Bodies>]> : never;
type AnyReply<Bodies> = { [Key in keyof Bodies]: Reply<Key, Bodies[Key]> }[keyof Bodies];

type IdentitiesOf<Alternative> = Alternative extends readonly string[]
  ? Readonly<Record<Alternative[number], Identity>>
  : never;

/** The input of a handler, as the contract declares it. */
export type HandlerRequest<Operation extends OperationTypes, Alternatives> = RequestBody<Operation> &
  HandlerContext & {
    /** Parameters by the names that the contract gives them, with defaults filled in. */
    readonly path: ParameterGroup<Operation, 'path'>;
    readonly query: ParameterGroup<Operation, 'query'>;
    readonly headers: ParameterGroup<Operation, 'header'>;
    readonly cookies: ParameterGroup<Operation, 'cookie'>;
    /** The whole query, if the contract declares it as one value. */
    readonly querystring: 'querystring' extends keyof Operation['parameters']
      ? Operation['parameters']['querystring']
      : undefined;
    /** The caller, keyed by the security schemes of the alternative that the credentials satisfy. */
    readonly identity: IdentitiesOf<Alternatives>;
  };

/**
 * Does the work of an operation. It gets declared values and a read-only view of the HTTP request, but not the HTTP response.
 *
 * @example const getClock: Handler<operations['getClock'], security['getClock']> = (_, reply) => reply(200, { hour: 12 });
 */
export type Handler<Operation extends OperationTypes, Alternatives> = (
  request: HandlerRequest<Operation, Alternatives>,
  reply: ReplyFunction<ReplyBodies<Operation>, ReplyHeaders<Operation>>,
) => MaybePromise<AnyReply<ReplyBodies<Operation>>>;

type MaybePromise<T> = T | Promise<T>;

/** The compiler's message for an undeclared property shows this type, which lists the declared properties. */
export interface Undeclared<Property, Declared> {
  readonly [undeclared]: readonly [Property, Declared];
}
declare const undeclared: unique symbol;

/**
 * Resolves to `Given` if `Shape` declares all its properties at every depth, and otherwise to a type that `Given` is not assignable
 * to. TypeScript itself rejects undeclared properties only in literals, so a variable could leak one.
 */
export type Exact<Given, Shape> = unknown extends Shape
  ? Given
  : Shape extends Blob | Uint8Array | Readable
    ? Given extends Shape
      ? Given
      : never
    : Shape extends AsyncIterable<infer ItemShape>
      ? Given extends AsyncIterable<infer Item> | Iterable<infer Item>
        ? AsyncIterable<Exact<Item, ItemShape>> | Iterable<Exact<Item, ItemShape>>
        : never
      : ExactValue<Given, Shape>;

type ExactValue<Given, Shape> = Shape extends unknown
  ? Given extends Shape
    ? Given extends readonly (infer Item)[]
      ? Shape extends readonly (infer ItemShape)[]
        ? readonly Exact<Item, ItemShape>[]
        : never
      : Given extends object
        ? {
            [Key in keyof Given]: Key extends keyof Shape
              ? Exact<Given[Key], Shape[Key]>
              : Undeclared<Key, { [Name in keyof Shape]-?: Name }[keyof Shape]>;
          }
        : Given
    : never
  : never;

/**
 * A handler for each operation of a contract, and for nothing else.
 *
 * @example const handlers: Handlers<operations, security> = { getClock };
 */
export type Handlers<Operations extends { [Id in keyof Operations]: OperationTypes }, Security> = {
  readonly [Id in keyof Operations]: Handler<Operations[Id], Id extends keyof Security ? Security[Id] : never>;
};

/** The verifier of each security scheme of a contract. */
export type Verifiers<SecuritySchemes extends string> = Readonly<Record<SecuritySchemes, Verifier>>;

export type AnyHandlers = Readonly<Record<string, ((request: never, reply: never) => unknown) | undefined>>;

/**
 * Stands in for a handler that is not written yet.
 *
 * @param operation the operationId, for the message to the client
 * @throws Refusal always
 * @example export const listBooks: Handler<'listBooks'> = () => notBuilt('listBooks');
 */
export function notBuilt(operation: string): never {
  throw new Refusal('NOT_BUILT', `${operation} is not built yet`);
}

type ErrorStatusKey<Key> = `${Key & (number | string)}` extends `${4 | 5}${string}` | 'default' ? Key : never;

// Replaces a Blob with a Buffer: a refusal is rendered synchronously, but a Blob can be read only asynchronously.
type WithoutBlob<Body> = Body extends Blob ? Buffer : Body;

type ErrorBody<Responses> = {
  [Key in keyof Responses as ErrorStatusKey<Key>]: Responses[Key] extends { content: infer Content }
    ? WithoutBlob<Content[keyof Content]>
    : never;
} extends infer Bodies
  ? Bodies[keyof Bodies]
  : never;

/**
 * Creates the body of each error response. It must have a type that the contract declares for errors, if there is one.
 *
 * @example const renderError: RenderError<operations> = ({ status, message }) => ({ code: status, message });
 */
export type RenderError<Operations extends { [Id in keyof Operations]: OperationTypes }> = (
  error: ErrorToRender,
  todo: Todo,
) => DefaultIfNever<{ [Id in keyof Operations]: ErrorBody<Operations[Id]['responses']> }[keyof Operations], unknown>;

type DefaultIfNever<T, Else> = [T] extends [never] ? Else : T;

/** A member of `operations` as openapi-typescript generates it. */
export interface OperationTypes {
  readonly parameters: object;
  readonly responses: object;
}

// Leaves out index signatures, and headers that the kit writes itself.
type SettableHeaders<T> = {
  [Key in keyof T as string extends Key ? never : Lowercase<Key & string> extends KitHeader ? never : Key]: T[Key];
};

// The Content-Length of a reply without a body, which may be a 304 or answer HEAD: the length that the body for GET would have.
type ContentLengthOfGet<Response> = Response extends { content: unknown }
  ? unknown
  : Response extends { headers: infer Headers }
    ? {
        [Key in keyof Headers as Lowercase<Key & string> extends 'content-length' ? Key : never]?:
          Headers[Key] | undefined;
      }
    : unknown;

type StatusesFor<Key> = Key extends number
  ? Key
  : Key extends `${infer First}XX`
    ? StatusesOf<First>
    : Key extends 'default'
      ? StatusesOf<'2' | '3' | '4' | '5'>
      : never;

type StatusIn<Bodies> = Exclude<StatusesFor<keyof Bodies>, StatusesOf<'1'>>;

type RangeOf<S extends number> = `${S}` extends `${infer First}${number}` ? `${First}XX` : never;

// The most specific declaration of a status: the status, its range or `default` (OpenAPI, Responses Object).
type StatusKey<S extends number, Bodies> = (S extends keyof Bodies
  ? S
  : RangeOf<S> extends keyof Bodies
    ? RangeOf<S>
    : 'default') &
  keyof Bodies;

type ContentOf<Response> = Response extends { content: infer Content } ? Content : unknown;

type IsJson<Type> = Type extends string
  ? Lowercase<Type> extends `application/json${'' | `;${string}`}` | `${string}+json${'' | `;${string}`}`
    ? true
    : false
  : false;

type SequentialBody = AsyncIterable<unknown> | readonly unknown[];

// A handler can return a stream for a body that is not JSON, and a Buffer for a Blob.
type StreamOf<Content> = {
  [Type in keyof Content]: [IsJson<Type>, Content[Type]] extends [true, unknown] | [unknown, SequentialBody]
    ? never
    : Content[Type] extends Blob
      ? Buffer | Readable
      : Readable;
}[keyof Content];

/** The body that the contract declares for each status; undefined if it declares none. */
export type ReplyBodies<Operation extends OperationTypes> = {
  [Key in keyof Operation['responses']]: BodyOf<Operation['responses'][Key]>;
} & {}; // so that an editor shows the members

type BodyOf<Response> = Response extends { content: infer Content }
  ? Content[keyof Content] | StreamOf<Content> | Iterables<Content[keyof Content]>
  : undefined;

type Iterables<Body> = Body extends AsyncIterable<infer Item> ? Iterable<Item> : never;

/** The media types in a range such as `image/*`. A type that is not a range stands for itself. */
export type MediaTypeIn<Range> = Range extends `*/*`
  ? `${string}/${string}`
  : Range extends `${infer Type}/*`
    ? `${Type}/${string}`
    : Range;

// A handler must name the media type if the reply declares several, or a range.
type AmbiguousMediaType<T, All = T> = T extends unknown
  ? [All] extends [T]
    ? T extends `${string}/*`
      ? T
      : never
    : All
  : never;
type MediaTypes<Response> = MediaTypeIn<AmbiguousMediaType<keyof ContentOf<Response>>>;
type WithParameters<Type> = Type | `${Type & string}; ${string}`;

/**
 * The headers for each status: the declared headers; Content-Type, if the body has several media types or a range of them; and, if
 * the body may be a stream, Content-Length in bytes, and Content-Type with parameters.
 */
export type ReplyHeaders<Operation extends OperationTypes> = {
  [
    Key in keyof Operation['responses'] as [keyof HeadersOf<Operation['responses'][Key]>] extends [never] ? never : Key
  ]: Simplify<HeadersOf<Operation['responses'][Key]>>;
} & {};

type Simplify<T> = { [Key in keyof T]: T[Key] } & {};

type HeadersOf<Response> = SettableHeaders<Response extends { headers: infer Headers } ? Headers : unknown> &
  ContentLengthOfGet<Response> &
  ([MediaTypes<Response>] extends [never] ? unknown : { 'Content-Type': WithParameters<MediaTypes<Response>> }) &
  ([StreamOf<ContentOf<Response>>] extends [never]
    ? unknown
    : { 'Content-Length'?: number; 'Content-Type'?: WithParameters<MediaTypeIn<keyof ContentOf<Response>>> });
