import type { StatusesOf } from '../operation/find-reply';
import type { OwnHeader } from '../operation/message';

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

/** The body that the contract declares for a status; undefined if it declares none. */
export type ReplyBody<Operation extends OperationTypes, S extends Status<Operation>> =
  Response<Operation, S> extends { content: infer Content } ? Content[keyof Content] : undefined;

// A handler must name the media type if there are several.
type Several<T, All = T> = T extends unknown ? ([All] extends [T] ? never : All) : never;
type MediaTypes<Operation extends OperationTypes, S extends Status<Operation>> =
  Response<Operation, S> extends { content: infer Content } ? Several<keyof Content> : never;

/** The headers that the contract declares for a status; Content-Type if the body has several media types. */
export type ReplyHeaders<Operation extends OperationTypes, S extends Status<Operation>> = Listed<
  Response<Operation, S> extends { headers: infer Headers } ? Headers : unknown
> &
  ([MediaTypes<Operation, S>] extends [never] ? unknown : { 'Content-Type': MediaTypes<Operation, S> });
