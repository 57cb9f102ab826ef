import type { Readable } from 'node:stream';
import type { StatusesOf } from '../operation/bodies-and-replies';
import type { OwnHeader } from '../operation/reply-headers';

/** An operation as openapi-typescript types it: one member of its `operations`. */
export interface OperationTypes {
  readonly parameters: object;
  readonly responses: object;
}

// The headers that a handler sets: listed by name, not by an index signature, and not written by the kit itself.
type Listed<T> = {
  [Key in keyof T as string extends Key ? never : Lowercase<Key & string> extends OwnHeader ? never : Key]: T[Key];
};

// `4XX` stands for all that begin with 4, and `default` for all.
type StatusesFor<Key> = Key extends number
  ? Key
  : Key extends `${infer First}XX`
    ? StatusesOf<First>
    : Key extends 'default'
      ? StatusesOf<'2' | '3' | '4' | '5'>
      : never;

/** The statuses that the contract declares for an operation: each by itself, in a range, or as the default. */
export type Status<Operation extends OperationTypes> = Exclude<
  StatusesFor<keyof Operation['responses']>,
  StatusesOf<'1'>
>;

type RangeOf<S extends number> = `${S}` extends `${infer First}${number}` ? `${First}XX` : never;

// The nearest declaration of a status (OpenAPI, Responses Object).
type Response<Operation extends OperationTypes, S extends number> = Operation['responses'] extends infer Responses
  ? Responses[(S extends keyof Responses ? S : RangeOf<S> extends keyof Responses ? RangeOf<S> : 'default') &
      keyof Responses]
  : never;

// Without members if there is no body.
type ContentOf<Operation extends OperationTypes, S extends number> =
  Response<Operation, S> extends { content: infer Content } ? Content : unknown;

type IsJson<Type> = Type extends string
  ? Lowercase<Type> extends `application/json${'' | `;${string}`}` | `${string}+json${'' | `;${string}`}`
    ? true
    : false
  : false;

// What is not JSON may be a stream too.
type Streamed<Content> = { [Type in keyof Content]: IsJson<Type> extends true ? never : Readable }[keyof Content];

/** The body that the contract declares for a status; undefined if it declares none. */
export type ReplyBody<Operation extends OperationTypes, S extends Status<Operation>> =
  Response<Operation, S> extends { content: infer Content } ? Content[keyof Content] | Streamed<Content> : undefined;

/** A media type that is in a range of the contract, such as `image/*`; one that is no range is itself. */
export type MediaTypeIn<Range> = Range extends `*/*`
  ? `${string}/${string}`
  : Range extends `${infer Type}/*`
    ? `${Type}/${string}`
    : Range;

// A handler must name the media type if there are several, or a range of them.
type Several<T, All = T> = T extends unknown
  ? [All] extends [T]
    ? T extends `${string}/*`
      ? T
      : never
    : All
  : never;
type MediaTypes<Operation extends OperationTypes, S extends Status<Operation>> = MediaTypeIn<
  Several<keyof ContentOf<Operation, S>>
>;

/**
 * The headers that the contract declares for a status; Content-Type if the body has several media types, or a range of
 * them; and Content-Length, in bytes, if the body may be a stream.
 */
export type ReplyHeaders<Operation extends OperationTypes, S extends Status<Operation>> = Listed<
  Response<Operation, S> extends { headers: infer Headers } ? Headers : unknown
> &
  ([MediaTypes<Operation, S>] extends [never] ? unknown : { 'Content-Type': MediaTypes<Operation, S> }) &
  ([Streamed<ContentOf<Operation, S>>] extends [never] ? unknown : { 'Content-Length'?: number });
