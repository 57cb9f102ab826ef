// The type of the function that makes the bodies of refusals.
import type { ErrorToRender } from '../refusal/render';
import type { OperationTypes } from './declared-replies';

type IsOfErrors<Key> = `${Key & (number | string)}` extends `${4 | 5}${string}` | 'default' ? Key : never;

type ErrorBody<Responses> = {
  [Key in keyof Responses as IsOfErrors<Key>]: Responses[Key] extends { content: infer Content }
    ? Content[keyof Content]
    : never;
} extends infer Bodies
  ? Bodies[keyof Bodies]
  : never;

/**
 * Makes the body of each refusal: one of those that the operations of a contract declare for errors.
 *
 * @example const renderError: RenderError<operations> = ({ status, message }) => ({ code: status, message });
 */
export type RenderError<Operations extends { [Id in keyof Operations]: OperationTypes }> = (
  error: ErrorToRender,
) => { [Id in keyof Operations]: ErrorBody<Operations[Id]['responses']> }[keyof Operations];
